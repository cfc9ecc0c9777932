/** Lets users' requests be worked on in turns (turns.ts). Register before any route. */
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import type { Limits, TurnKind } from '../limits.ts';
import { Turns } from '../turns.ts';

/**
 * Wraps the handler of every route that has a caller. A turn is taken when the body is read and
 * checked, so a slow client holds none, and ends with the handler, also when the client has gone:
 * what was begun for it goes on in the database.
 */
export function waitTurns(app: FastifyInstance, limits: Limits['turns']): void {
  const turns: Record<TurnKind, Turns> = {
    usual: new Turns(limits.usual),
    search: new Turns(limits.search),
    start: new Turns(limits.start),
  };
  // The HEAD route of a GET comes here with the handler that was wrapped for the GET.
  const wrapped = new WeakSet<RouteHandlerMethod>();

  app.addHook('onRoute', (route) => {
    const { access = 'user', turn = 'usual' } = route.config ?? {};
    if (turn === 'none' || (access !== 'user' && access !== 'optional')) return;
    const { handler } = route;
    if (wrapped.has(handler)) return;
    route.handler = async function (request, reply) {
      // Optional credentials may be none.
      if (request.caller === null) return handler.call(this, request, reply);
      const end = await turns[turn].take(request.caller, untilGone(reply));
      try {
        return await handler.call(this, request, reply);
      } finally {
        end();
      }
    };
    wrapped.add(route.handler);
  });
}

function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
