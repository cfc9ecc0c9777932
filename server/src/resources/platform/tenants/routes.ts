import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import { AddedCredits, NewTenant, NewTenantRequest, Tenant, TenantChanges } from './schema.ts';
import { addTenantCredits, changeTenant, getTenant, listTenants, openTenant } from './tenants.ts';

const tags = ['Platform'];
const params = Type.Object({ id: Type.Integer() });

export const tenantRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/platform/tenants/',
      {
        config: { turn: 'search' },
        schema: {
          operationId: 'listTenants',
          summary: 'All tenants, with what they use and may use (platform admins)',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            q: Type.Optional(
              Type.String({ maxLength: 200, description: 'Part of the name, in any case.' }),
            ),
          }),
          response: { 200: Type.Array(Tenant) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listTenants(db, request.caller, request.query.q ?? '', page),
          (tenant) => [tenant.id],
        ),
    );

    app.post(
      '/platform/tenants/',
      {
        schema: {
          operationId: 'createTenant',
          summary: 'Make a tenant with its first admin (platform admins)',
          description:
            'The admin signs in with the password of the answer, and then chooses another; at an external identity provider, by the verified address.',
          tags,
          body: NewTenantRequest,
          response: { 201: NewTenant },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          openTenant(tx, services, request.caller, request.body),
        ),
    );

    app.get(
      '/platform/tenants/:id',
      {
        schema: {
          operationId: 'getTenant',
          summary: 'A tenant, with what it uses and may use (platform admins)',
          tags,
          params,
          response: { 200: Tenant },
        },
      },
      (request) => getTenant(db, request.caller, request.params.id),
    );

    app.patch(
      '/platform/tenants/:id',
      {
        schema: {
          operationId: 'changeTenant',
          summary: 'Rename a tenant, and change its limits (platform admins)',
          description:
            'A limit below what is used removes nothing; only more is refused then. The change is in the audit trail of that tenant, too.',
          tags,
          params,
          body: TenantChanges,
          response: { 200: Tenant },
        },
      },
      (request) => changeTenant(db, request.caller, request.params.id, request.body),
    );

    app.post(
      '/platform/tenants/:id/credits',
      {
        schema: {
          operationId: 'addTenantCredits',
          summary: 'Add credits to the period under way of a tenant (platform admins)',
          description:
            'Once: the next period begins with the limit alone. Work that waits for credits starts at once. Of a limit that was lowered below what is used, that is made up for first. 409 `no_credits_limit` if the tenant has no limit. Send an `Idempotency-Key`, so that a repeated request adds nothing. It is in the audit trail of that tenant, too.',
          tags,
          params,
          body: AddedCredits,
          response: { 201: Tenant },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          addTenantCredits(tx, request.caller, request.params.id, request.body),
        ),
    );
  };
