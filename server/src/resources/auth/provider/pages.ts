/** The pages for signing in and out: plain HTML without JavaScript that loads nothing. */
import { createHash } from 'node:crypto';
import { styles } from './styles.ts';

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const submitScript = 'document.forms[0].submit()';

const policyWith = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${digest(styles)}`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Headers of every page: it may load nothing, and may not be framed or cached. */
export const pageHeaders = {
  'content-security-policy': policyWith("'none'"),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Allows the one script that submits a form automatically. */
export function allowScript(response: { set(name: string, value: string): void }): void {
  response.set('content-security-policy', policyWith(digest(submitScript)));
}

type SignIn = {
  email: string;
  message?: string | undefined;
  /** An external provider, and where signing in there begins. */
  elsewhere?: { name: string; url: string };
  /** Whether there is anybody with a password. */
  has_form?: boolean;
};

export const signInPage = ({ email, message, elsewhere, has_form = true }: SignIn) =>
  page(
    'Sign in',
    `<h1>Sign in</h1>
    <p class="lead">Welcome back. Your files and workflows are waiting.</p>
    ${alert(message)}
    ${elsewhere ? `<a class="button" href="${safe(elsewhere.url)}">Continue with ${safe(elsewhere.name)}</a>` : ''}
    ${elsewhere && has_form ? '<p class="or">or with a password</p>' : ''}
    ${has_form ? passwordForm(email, elsewhere !== undefined) : ''}`,
  );

const passwordForm = (email: string, isSecond: boolean) =>
  `<form method="post">
      ${field('email', 'E-mail address', 'email', 'username', email, !isSecond && email === '')}
      ${field('password', 'Password', 'password', 'current-password', '', !isSecond && email !== '')}
      <button type="submit"${isSecond ? ' class="second"' : ''}>Sign in</button>
    </form>
    <p class="hint">Forgotten your password? An administrator can give you a new one.</p>`;

type Linking = { email: string; name: string; message?: string | undefined };

/** For somebody from an external provider whose address has an account with a password here. */
export const linkPage = ({ email, name, message }: Linking) =>
  page(
    'Is this your account?',
    `<h1>Is this your account?</h1>
    <p class="lead">There is an account for <strong>${safe(email)}</strong> already. Enter its password
    once to show that it is yours. From then on you sign in to it with ${safe(name)}, and its
    password stops working.</p>
    ${alert(message)}
    <form method="post">
      <input type="hidden" name="email" autocomplete="username" value="${safe(email)}">
      ${field('password', 'Password', 'password', 'current-password', '', true)}
      <button type="submit">Use this account</button>
    </form>
    <form method="post">
      <input type="hidden" name="separate" value="yes">
      <button type="submit" class="second">Continue without it</button>
    </form>`,
  );

type Invited = {
  invited: { id: number; organization: string; role: string; by: string }[];
  message?: string | undefined;
};

/** For a newcomer from an external provider whose address is invited; nobody is put anywhere unasked. */
export const invitedPage = ({ invited, message }: Invited) =>
  page(
    'Join an organization?',
    `<h1>${invited.length === 1 ? `Join ${safe(onOneLine(invited[0]?.organization))}?` : 'Where do you want to be?'}</h1>
    ${alert(message)}
    ${invited.map(invitationForm).join('\n')}
    <p class="${invited.length > 0 ? 'or' : 'lead'}">${invited.length > 0 ? 'or' : 'There is no other invitation.'}</p>
    <form method="post">
      <input type="hidden" name="choice" value="own">
      <button type="submit"${invited.length > 0 ? ' class="second"' : ''}>Start an organization of my own</button>
    </form>
    <p class="hint">An account belongs to one organization. Join only one that you know.</p>`,
  );

function invitationForm({ id, organization, role, by }: Invited['invited'][0]) {
  return `<form method="post">
      <p class="lead"><strong>${safe(by)}</strong> invites you to
      <strong>${safe(onOneLine(organization))}</strong> as ${role === 'admin' ? 'an administrator' : 'a member'}.</p>
      <input type="hidden" name="choice" value="${id}">
      <button type="submit">Join ${safe(onOneLine(organization))}</button>
    </form>`;
}

type NewPassword = { action: string; email: string; message?: string | undefined };

/** For a one-time password, which only allows choosing a password. */
export const newPasswordPage = ({ action, email, message }: NewPassword) =>
  page(
    'Choose a password',
    `<h1>Choose your password</h1>
    <p class="lead">You signed in with a one-time password. Choose your own to continue; at least
    ${minPasswordLength} characters, a few unrelated words are good.</p>
    ${alert(message)}
    <form method="post" action="${safe(action)}">
      <input type="hidden" name="email" autocomplete="username" value="${safe(email)}">
      ${field('new_password', 'New password', 'password', 'new-password', '', true)}
      ${field('repeated_password', 'New password again', 'password', 'new-password', '', false)}
      <button type="submit">Save and continue</button>
    </form>`,
  );

export const minPasswordLength = 8;

const usualReasons =
  'This happens when a sign-in took too long, was opened twice, or when this browser does not keep cookies.';

export const errorPage = (message: string, startUrl: string, reasons = usualReasons) =>
  page(
    'Sign-in did not work',
    `<h1>That did not work</h1>
    ${alert(`${message[0]?.toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, '.'))}
    ${reasons ? `<p class="lead">${safe(reasons)}</p>` : ''}
    <a class="button" href="${safe(startUrl)}">Start again</a>`,
  );

/** @param form the provider's form; the button refers to it by its id. */
export const signOutPage = (form: string, isCertain: boolean) =>
  page(
    'Sign out',
    `<h1>Sign out?</h1>
    <p class="lead">You will have to sign in again to see your files and workflows.</p>
    ${form.replace('</form>', '<input type="hidden" name="logout" value="yes"></form>')}
    <button type="submit" form="op.logoutForm">Sign out</button>
    ${isCertain ? `<script>${submitScript}</script>` : ''}`,
  );

export const signedOutPage = (appUrl: string) =>
  page(
    'Signed out',
    `<h1>You are signed out</h1>
    <p class="lead">See you soon.</p>
    <a class="button" href="${safe(appUrl)}">Sign in again</a>`,
  );

function field(
  name: string,
  label: string,
  type: string,
  autocomplete: string,
  value: string,
  autofocus: boolean,
) {
  return `<label for="${name}">${label}</label>
      <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required
        maxlength="320" value="${safe(value)}"${autofocus ? ' autofocus' : ''}>`;
}

const alert = (message: string | undefined) =>
  message === undefined ? '' : `<p class="alert" role="alert">${safe(message)}</p>`;

/** The dashboard's logo. */
const logo = `<svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0b6e69"/>
      <g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round">
        <circle cx="16" cy="16" r="6.2"/>
        <path d="M16 5.6v3M16 23.4v3M26.4 16h-3M8.6 16h-3M23.35 8.65l-2.1 2.1M10.75 21.25l-2.1
          2.1M23.35 23.35l-2.1-2.1M10.75 10.75l-2.1-2.1"/>
      </g>
    </svg>`;

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="robots" content="noindex">
  <title>${title} · Cogworks</title>
  <link rel="icon" href="data:,">
  <style>${styles}</style>
</head>
<body>
  <main>
    <div class="brand">${logo} Cogworks</div>
    ${content}
  </main>
</body>
</html>
`;

/** What others have named cannot look like text of ours. */
const onOneLine = (name = '') => name.replace(/[\s\p{C}]+/gu, ' ').trim();

const safe = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  );
