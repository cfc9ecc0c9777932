import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import {
  changePermission,
  explainAccess,
  listPermissions,
  revokePermission,
  shareCog,
} from './permissions.ts';
import { EffectiveAccess, NewPermission, Permission, PermissionChanges } from './schema.ts';

const tags = ['Permissions'];
const CogId = Type.Object({ id: Type.Integer() });
const PermissionId = Type.Object({ permission_id: Type.Integer() });

export const permissionRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/permissions/cogs/:id',
      {
        schema: {
          operationId: 'listPermissions',
          summary: 'Who has access to a cog',
          tags,
          params: CogId,
          querystring: Type.Object({
            ...PagingQuery,
            include_inherited: Type.Optional(
              Type.Boolean({ description: 'Also grants on the folders above.' }),
            ),
          }),
          response: { 200: Type.Array(Permission) },
        },
      },
      (request, reply) => {
        const { include_inherited = false } = request.query;
        return sendPage(
          services,
          request,
          reply,
          (page) => listPermissions(db, request.caller, request.params.id, include_inherited, page),
          (permission) => [permission.distance, permission.permission_id],
        );
      },
    );

    app.get(
      '/permissions/cogs/:id/effective',
      {
        schema: {
          operationId: 'explainAccess',
          summary: 'What a user may do to a cog, and by which grant',
          tags,
          params: CogId,
          querystring: Type.Object({
            user_id: Type.Optional(Type.Integer({ description: 'The caller unless given.' })),
          }),
          response: { 200: EffectiveAccess },
        },
      },
      (request) => {
        const { user_id = request.caller.user_id } = request.query;
        return explainAccess(db, request.caller, request.params.id, user_id);
      },
    );

    app.post(
      '/permissions/cogs/:id',
      {
        schema: {
          operationId: 'shareCog',
          summary: 'Share a cog with a user; sharing again replaces the grant',
          tags,
          params: CogId,
          body: NewPermission,
          response: { 200: Permission, 201: Permission },
        },
      },
      (request, reply) => {
        let isNew = false;
        return once(
          services,
          request,
          reply,
          () => (isNew ? 201 : 200),
          async (tx) => {
            const shared = await shareCog(tx, request.caller, request.params.id, request.body);
            isNew = shared.is_new;
            return shared.permission;
          },
        );
      },
    );

    app.patch(
      '/permissions/:permission_id',
      {
        schema: {
          operationId: 'changePermission',
          summary: 'Change a grant',
          tags,
          params: PermissionId,
          body: PermissionChanges,
          response: { 200: Permission },
        },
      },
      (request) => changePermission(db, request.caller, request.params.permission_id, request.body),
    );

    app.delete(
      '/permissions/:permission_id',
      {
        schema: {
          operationId: 'revokePermission',
          summary: 'Take a grant back',
          tags,
          params: PermissionId,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await revokePermission(db, request.caller, request.params.permission_id);
        reply.code(204);
        return null;
      },
    );
  };
