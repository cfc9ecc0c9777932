import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Caller } from '../../callers.ts';
import { repeatable } from '../../effects.ts';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage, sendTexts } from '../../http/paging.ts';
import type { Listed } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { createFolder, getCog, getPath, getRoot } from './cogs.ts';
import { copyOf } from './copies/copies.ts';
import { withFoldersAbove } from './lists/above.ts';
import { cursorOf, listCogs, listSharedWithMe } from './lists/lists.ts';
import { searchCogs } from './lists/search.ts';
import { listTree } from './lists/tree.ts';
import { changeCog } from './moves/moves.ts';
import {
  Cog,
  CogChanges,
  CogFilters,
  CogId,
  NewCopy,
  NewFolder,
  NewOwner,
  PlacedCog,
  Restoration,
  RestoredCog,
  TrashedCog,
  TreeCog,
  WithAbove,
} from './schema.ts';
import { transferCog } from './transfers/transfers.ts';
import { deleteCog } from './trash/deletion.ts';
import { restoreCog } from './trash/restoration.ts';
import { listTrash, purgeAll, purgeCog } from './trash/trash.ts';

const tags = ['Cogs'];

export const cogRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, readDb } = services;

    const placed = async <Row extends { parent_id?: number }>(
      { caller, query }: { caller: Caller; query: { with_above?: boolean } },
      listing: Promise<Listed<Row>>,
    ) => (query.with_above ? withFoldersAbove(db, caller, await listing) : listing);

    app.get(
      '/cogs/',
      {
        schema: {
          operationId: 'listCogs',
          summary: 'The files and folders in a folder',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            parent_id: Type.Optional(Type.Integer({ description: 'The root unless given.' })),
            ...CogFilters,
          }),
          response: { 200: Type.Array(Cog) },
        },
      },
      async (request, reply) => {
        await sendTexts(
          services,
          request,
          reply,
          (page) => listCogs(services, request.caller, request.query, page),
          (text) => cursorOf(JSON.parse(text), request.query.sort),
        );
        return reply;
      },
    );

    app.get(
      '/cogs/root',
      {
        config: { turn: 'lookup' },
        schema: {
          operationId: 'getRootCog',
          summary: "The tenant's root folder, My Files",
          tags,
          response: { 200: Cog },
        },
      },
      (request) => getRoot(services, request.caller),
    );

    app.get(
      '/cogs/search',
      {
        config: { turn: 'search' },
        schema: {
          operationId: 'searchCogs',
          summary: 'Files and folders with a text in their name',
          description:
            'By name, in the order that lists of folders have. In a tenant of very many files a page may hold fewer than `limit`, or none, and still have a `Link` to go on.',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            q: Type.String({ minLength: 1, maxLength: 255, description: 'In any case.' }),
            under: Type.Optional(Type.Integer({ description: 'Only below this folder.' })),
            ...WithAbove,
          }),
          response: { 200: Type.Array(PlacedCog) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => placed(request, searchCogs(db, request.caller, request.query, page)),
          (cog) => cursorOf(cog, 'name'),
        ),
    );

    app.get(
      '/cogs/trash',
      {
        schema: {
          operationId: 'listTrash',
          summary: 'What was deleted and can be restored',
          description:
            'Newest first: what the caller owns or deleted, for admins what anybody deleted. 30 days after its deletion a cog is removed for ever.',
          tags,
          querystring: Type.Object({ ...PagingQuery, ...WithAbove }),
          response: { 200: Type.Array(TrashedCog) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => placed(request, listTrash(db, request.caller, page)),
          ({ deleted_at, id }) => [deleted_at, id],
        ),
    );

    app.delete(
      '/cogs/trash',
      {
        schema: {
          operationId: 'emptyTrash',
          summary: 'Remove all in the trash for ever',
          description: 'What the caller owns; for admins what anybody deleted.',
          tags,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await purgeAll(db, request.caller);
        reply.code(204);
        return null;
      },
    );

    app.get(
      '/cogs/shared-with-me',
      {
        schema: {
          operationId: 'listCogsSharedWithMe',
          summary: 'What others shared with me',
          tags,
          querystring: Type.Object({ ...PagingQuery, ...WithAbove }),
          response: { 200: Type.Array(PlacedCog) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => placed(request, listSharedWithMe(db, request.caller, page)),
          (cog) => cursorOf(cog, 'name'),
        ),
    );

    app.post(
      '/cogs/',
      {
        schema: {
          operationId: 'createFolder',
          summary: 'Make a folder',
          tags,
          body: NewFolder,
          response: { 201: Cog },
        },
      },
      (request, reply) =>
        once(
          services,
          request,
          reply,
          201,
          repeatable((tx) => createFolder(tx, request.caller, request.body)),
        ),
    );

    app.get(
      '/cogs/:id',
      {
        config: { turn: 'lookup' },
        schema: {
          operationId: 'getCog',
          summary: 'One file or folder',
          tags,
          params: CogId,
          response: { 200: Cog },
        },
      },
      (request) => getCog(readDb, request.caller, request.params.id),
    );

    app.get(
      '/cogs/:id/path',
      {
        schema: {
          operationId: 'getCogPath',
          summary: 'The folders from the root to a cog, and the cog itself',
          tags,
          params: CogId,
          response: { 200: Type.Array(Cog) },
        },
      },
      (request) => getPath(db, request.caller, request.params.id),
    );

    app.get(
      '/cogs/:id/tree',
      {
        config: { turn: 'search' },
        schema: {
          operationId: 'listCogTree',
          summary: 'Everything below a folder',
          description:
            'For programs that copy or compare a folder. Each folder comes before what is in it; the contents of one in the order in which they were made, so that a page goes on at the right place after something was renamed or deleted. What is moved meanwhile may be listed twice, or not at all. What is in a folder that the caller may not see is left out. Below a file there is nothing.',
          tags,
          params: CogId,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(TreeCog) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listTree(db, request.caller, request.params.id, page),
          // The list tells the position itself.
          () => [],
        ),
    );

    app.patch(
      '/cogs/:id',
      {
        schema: {
          operationId: 'changeCog',
          summary: 'Rename or move a cog',
          tags,
          params: CogId,
          body: CogChanges,
          response: { 200: Cog },
        },
      },
      (request) => changeCog(db, request.caller, request.params.id, request.body),
    );

    app.post(
      '/cogs/:id/copy',
      {
        schema: {
          operationId: 'copyCog',
          summary: 'Copy a file, or a folder with all in it',
          description:
            'Without copying bytes; the caller owns the copy. Current contents only, neither grants nor earlier versions, and of a folder what the caller may see. At most 100,000 files and folders (409 `too_many_items`); 409 `cycle` into the folder itself or into one inside it.',
          tags,
          params: CogId,
          body: NewCopy,
          response: { 201: Cog },
        },
      },
      async (request, reply) => {
        const copy = copyOf(services, request.caller, request.params.id, request.body);
        try {
          return await once(services, request, reply, 201, copy);
        } finally {
          await copy.dropUnused();
        }
      },
    );

    app.post(
      '/cogs/:id/transfer',
      {
        schema: {
          operationId: 'transferCog',
          summary: 'Hand a cog over to another owner',
          description:
            'By its owner or an admin of the tenant. The new owner gets an owner grant on it, all other grants stay.',
          tags,
          params: CogId,
          body: NewOwner,
          response: { 200: RestoredCog },
        },
      },
      (request, reply) =>
        once(services, request, reply, 200, (tx) =>
          transferCog(tx, request.caller, request.params.id, request.body),
        ),
    );

    app.post(
      '/cogs/:id/restore',
      {
        schema: {
          operationId: 'restoreCog',
          summary: 'Put a deleted cog back where it was',
          description:
            'With all that was in it. Its owner gets an owner grant on it again, unless that was revoked; other grants on it were removed with it, except what restricts a user. Those on what lies below count again.',
          tags,
          params: CogId,
          body: Type.Optional(Type.Union([Restoration, Type.Null()])),
          response: { 200: RestoredCog },
        },
      },
      (request, reply) =>
        once(
          services,
          request,
          reply,
          200,
          repeatable((tx) => restoreCog(tx, request.caller, request.params.id, request.body?.name)),
        ),
    );

    app.delete(
      '/cogs/:id',
      {
        schema: {
          operationId: 'deleteCog',
          summary: 'Delete a cog with all in it, and its permissions',
          description:
            'Into the trash. With `permanent=true` its owner or an admin removes a cog that is in the trash for ever; 409 `not_in_trash` if it is not there.',
          tags,
          params: CogId,
          querystring: Type.Object({ permanent: Type.Optional(Type.Boolean()) }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { caller, params, query } = request;
        if (query.permanent) await purgeCog(db, caller, params.id);
        else await deleteCog(db, caller, params.id);
        reply.code(204);
        return null;
      },
    );
  };
