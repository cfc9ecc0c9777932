/** The table of contents: every slice's routes, in reading order. */
import type { FastifyInstance } from 'fastify';
import { unauthenticated } from './errors.ts';
import { dashboardPages } from './http/dashboard.ts';
import { makeHttpServer } from './http/server.ts';
import { auditEventRoutes } from './resources/audit-events/routes.ts';
import { authenticateUsers } from './resources/auth/authenticate.ts';
import { openTokens, type Tokens } from './resources/auth/tokens.ts';
import { meRoutes } from './resources/me/routes.ts';
import { nodeDefinitionRoutes } from './resources/node_definitions/routes.ts';
import { opsRoutes } from './resources/ops/routes.ts';
import { secretRoutes } from './resources/secrets/routes.ts';
import { workflowRoutes } from './resources/workflows/routes.ts';
import { versionRoutes } from './resources/workflows/version-routes.ts';
import type { Services } from './services.ts';

export type App = { http: FastifyInstance; tokens: Tokens };

export async function buildApp(services: Services): Promise<App> {
  const tokens = await openTokens(services);
  const http = await makeHttpServer(services, {
    user: authenticateUsers(services, tokens),
    worker: async () => {
      throw unauthenticated();
    },
  });

  await http.register(meRoutes(services));
  await http.register(nodeDefinitionRoutes(services));
  await http.register(workflowRoutes(services));
  await http.register(versionRoutes(services));
  await http.register(secretRoutes(services));
  await http.register(auditEventRoutes(services));
  await http.register(opsRoutes(services));
  await http.register(dashboardPages(services));
  return { http, tokens };
}
