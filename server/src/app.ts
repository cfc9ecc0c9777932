/** The table of contents: every slice's routes, in reading order. */
import type { FastifyInstance } from 'fastify';
import { dashboardPages } from './http/dashboard.ts';
import { makeHttpServer } from './http/server.ts';
import { storageRoutes } from './objects/routes.ts';
import { apiKeyRoutes } from './resources/api-keys/routes.ts';
import { auditEventRoutes } from './resources/audit-events/routes.ts';
import { auditSealRoutes } from './resources/audit-events/seals/routes.ts';
import { authenticateUsers } from './resources/auth/authenticate.ts';
import { externalRoutes } from './resources/auth/external/routes.ts';
import { providerRoutes, signInRoutes } from './resources/auth/provider/routes.ts';
import { authRoutes } from './resources/auth/routes.ts';
import { openSignIn } from './resources/auth/sign-in.ts';
import { openTokens, type Tokens } from './resources/auth/tokens.ts';
import { downloadUrlRoutes } from './resources/cogs/download-urls/routes.ts';
import { downloadRoutes } from './resources/cogs/files/download-routes.ts';
import { contentRoutes } from './resources/cogs/files/routes.ts';
import { confirmRoutes } from './resources/cogs/large-uploads/confirm-routes.ts';
import { uploadRoutes } from './resources/cogs/large-uploads/routes.ts';
import { previewRoutes } from './resources/cogs/previews/routes.ts';
import { provenanceRoutes } from './resources/cogs/provenance/routes.ts';
import { cogRoutes } from './resources/cogs/routes.ts';
import { selectionRoutes } from './resources/cogs/selections/routes.ts';
import { fileVersionRoutes } from './resources/cogs/versions/routes.ts';
import { davRoutes } from './resources/dav/routes.ts';
import { eventRoutes } from './resources/events/routes.ts';
import { hookRoutes } from './resources/hooks/routes.ts';
import { invitationRoutes } from './resources/invitations/routes.ts';
import { meRoutes } from './resources/me/routes.ts';
import { sessionRoutes } from './resources/me/sessions/routes.ts';
import { nodeDefinitionRoutes } from './resources/node_definitions/routes.ts';
import { noticeRoutes } from './resources/notices/routes.ts';
import { opsRoutes } from './resources/ops/routes.ts';
import { organizationRoutes } from './resources/organization/routes.ts';
import { permissionRoutes } from './resources/permissions/routes.ts';
import { analyticsRoutes } from './resources/platform/analytics/routes.ts';
import { tenantRoutes } from './resources/platform/tenants/routes.ts';
import { authenticatePullers } from './resources/registry/pull-credentials.ts';
import { registryRoutes } from './resources/registry/routes.ts';
import { secretRoutes } from './resources/secrets/routes.ts';
import { subscriptionRoutes } from './resources/subscriptions/routes.ts';
import { triggerRoutes } from './resources/triggers/routes.ts';
import { deliveryRoutes } from './resources/triggers/webhooks/routes.ts';
import { userRoutes } from './resources/users/routes.ts';
import { workerProtocolRoutes } from './resources/workers/protocol-routes.ts';
import { workerRoutes } from './resources/workers/routes.ts';
import { authenticateWorkers } from './resources/workers/workers.ts';
import { runActionRoutes, runRoutes } from './resources/workflow-runs/routes.ts';
import { templateRoutes } from './resources/workflow-templates/routes.ts';
import { type GraphThreads, openGraphThreads } from './resources/workflows/graph-bodies.ts';
import { workflowRoutes } from './resources/workflows/routes.ts';
import { versionRoutes } from './resources/workflows/version-routes.ts';
import type { Services } from './services.ts';

export type App = { http: FastifyInstance; tokens: Tokens };

/** @param threads are closed with the app. */
export async function buildApp(
  services: Services,
  threads: GraphThreads = openGraphThreads(),
): Promise<App> {
  const tokens = await openTokens(services);
  const signIn = openSignIn(services, tokens);
  const http = await makeHttpServer(services, {
    user: authenticateUsers(services, signIn),
    puller: authenticatePullers(services),
    worker: authenticateWorkers(services),
  });
  // Workers' calls use a separate pool: a lease must not expire because of a slow search.
  const forWorkers = { ...services, db: services.engineDb };

  http.addHook('onClose', () => threads.close());

  await http.register(authRoutes(services, signIn));
  await http.register(providerRoutes(services, signIn.provider));
  await http.register(signInRoutes(services, signIn.provider, signIn));
  if (signIn.external)
    await http.register(externalRoutes(services, signIn.provider, signIn.external, signIn));
  await http.register(apiKeyRoutes(services, tokens));
  await http.register(meRoutes(services));
  await http.register(sessionRoutes(services));
  await http.register(userRoutes(services));
  await http.register(invitationRoutes(services, signIn));
  await http.register(organizationRoutes(services));
  await http.register(subscriptionRoutes(services));
  await http.register(cogRoutes(services));
  await http.register(selectionRoutes(services));
  await http.register(contentRoutes(services));
  await http.register(downloadRoutes(services));
  await http.register(previewRoutes(services));
  await http.register(downloadUrlRoutes(services));
  await http.register(uploadRoutes(services));
  await http.register(confirmRoutes(services));
  await http.register(fileVersionRoutes(services));
  await http.register(provenanceRoutes(services));
  await http.register(davRoutes(services));
  await http.register(storageRoutes(services));
  await http.register(permissionRoutes(services));
  await http.register(nodeDefinitionRoutes(services, threads));
  await http.register(workflowRoutes(services, threads));
  await http.register(versionRoutes(services, threads));
  await http.register(templateRoutes(services, threads));
  await http.register(runActionRoutes(services, threads));
  await http.register(runRoutes(services));
  await http.register(eventRoutes(services));
  await http.register(triggerRoutes(services, threads));
  await http.register(deliveryRoutes(services, threads));
  await http.register(hookRoutes(services, threads));
  await http.register(noticeRoutes(services));
  await http.register(registryRoutes(services));
  await http.register(secretRoutes(services));
  await http.register(workerRoutes(services));
  await http.register(workerProtocolRoutes(forWorkers));
  await http.register(auditEventRoutes(services));
  await http.register(auditSealRoutes(services));
  await http.register(analyticsRoutes(services));
  await http.register(tenantRoutes(services));
  await http.register(opsRoutes(services));
  await http.register(dashboardPages(services));
  return { http, tokens };
}
