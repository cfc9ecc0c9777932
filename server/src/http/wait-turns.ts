/** Makes users' requests wait for turns (turns.ts). Register before any route. */
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import type { Limits, TurnKind } from '../limits.ts';
import { Turns, type Who } from '../turns.ts';
import { hasCaller } from './access.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Waits for a turn of somebody else than the caller. @returns a function that ends it. */
    takeTurn(kind: TurnKind, who: Who, reply: FastifyReply): Promise<() => void>;
  }
}

/**
 * Wraps the handler of every route that has a caller. A turn begins when the body has been read and
 * checked, so a slow client holds none. It ends with the handler, even if the client has gone: the
 * database work continues.
 */
export function waitTurns(app: FastifyInstance, limits: Limits['turns']): void {
  const turns: Record<TurnKind, Turns> = {
    lookup: new Turns(limits.lookup),
    usual: new Turns(limits.usual),
    search: new Turns(limits.search),
    start: new Turns(limits.start),
  };
  app.decorate('takeTurn', (kind: TurnKind, who: Who, reply: FastifyReply) =>
    takeTurn(turns[kind], who, reply),
  );

  // The HEAD route of a GET is registered with the handler already wrapped for the GET.
  const wrapped = new WeakSet<RouteHandlerMethod>();

  app.addHook('onRoute', (route) => {
    const { access = 'user', turn = 'usual' } = route.config ?? {};
    if (turn === 'none' || !hasCaller(access)) return;
    const { handler } = route;
    if (wrapped.has(handler)) return;
    route.handler = async function (request, reply) {
      // With optional credentials there may be no caller.
      if (request.caller === null) return handler.call(this, request, reply);
      const end = await takeTurn(turns[turn], request.caller, reply);
      try {
        return await handler.call(this, request, reply);
      } finally {
        end();
      }
    };
    wrapped.add(route.handler);
  });
}

/** Waits for a turn as long as the client does. @returns a function that ends it. */
export async function takeTurn(turns: Turns, who: Who, { raw }: FastifyReply) {
  const atOnce = raw.destroyed ? undefined : turns.takeAtOnce(who);
  if (atOnce) return atOnce;
  const gone = new AbortController();
  const leave = () => gone.abort();
  if (raw.destroyed) leave();
  raw.once('close', leave);
  try {
    return await turns.take(who, gone.signal);
  } finally {
    raw.off('close', leave);
  }
}
