/** The secrets of one sign-in (RFC 7636): generated here, kept in this tab, used once. */

export type SignInAttempt = { state: string; nonce: string; verifier: string; return_to: string };

export function newAttempt(return_to: string): SignInAttempt {
  return { state: randomText(), nonce: randomText(), verifier: randomText(), return_to };
}

/** The verifier's hash; only this appears in the URL. */
export async function challengeOf(verifier: string): Promise<string> {
  const bytes = new TextEncoder().encode(verifier);
  // Absent on pages that came by plain HTTP from another machine.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) return base64Url((await import('@noble/hashes/sha2.js')).sha256(bytes));
  const hash = await subtle.digest('SHA-256', bytes);
  return base64Url(new Uint8Array(hash));
}

/**
 * The claims of an ID token received directly from the token endpoint, so the signature need not be
 * checked (OIDC Core, 3.1.3.7).
 */
export function claimsOf(idToken: string): Record<string, unknown> {
  const payload = idToken.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
}

const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
