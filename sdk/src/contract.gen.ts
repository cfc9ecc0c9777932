/** Written by tools/contract.ts from the routes of the server; run `npm run contract`, never edit. */

/** Server error, with an error_id */
export type ErrorBody = {
  detail: string | unknown[];
  /** A stable word for programs. */
  code?: string | undefined;
  /** Of a 500: what support finds it by. */
  error_id?: string | undefined;
};

export type Me = {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  tenant_id: number;
  role: "admin" | "member";
  is_platform_admin: boolean;
  onboarding_complete: boolean;
};

export type Operations = {
  /**
   * Change my names
   *
   * PATCH /me
   */
  changeMe: {
    args: {
      body: {
        first_name?: string | undefined;
        last_name?: string | undefined;
      };
    };
    answer: Me;
  };
  /**
   * Whether the process is up
   *
   * GET /healthz
   */
  getHealth: {
    args: Record<never, never>;
    answer: {
      status: "ok";
    };
  };
  /**
   * Who I am
   *
   * GET /me
   */
  getMe: {
    args: Record<never, never>;
    answer: Me;
  };
  /**
   * Whether database and storage answer
   *
   * GET /readyz
   */
  getReadiness: {
    args: Record<never, never>;
    answer: {
      status: "ok";
    };
  };
};

/** How an operation is called: where, with which kind of body, and what comes back. */
export type OperationShape = {
  method: string;
  path: string;
  body: 'none' | 'json' | 'form';
  answer: 'none' | 'json' | 'raw';
};

export const operations: Record<keyof Operations, OperationShape> = {
  changeMe: { method: 'PATCH', path: '/me', body: 'json', answer: 'json' },
  getHealth: { method: 'GET', path: '/healthz', body: 'none', answer: 'json' },
  getMe: { method: 'GET', path: '/me', body: 'none', answer: 'json' },
  getReadiness: { method: 'GET', path: '/readyz', body: 'none', answer: 'json' },
};
