/** The looks of the sign-in pages: one style sheet, inline, in the dashboard's colours. */
export const styles = `
:root {
  --text: #1b1f24; --muted: #5b6571; --card: #fff; --line: #ced4da; --accent: #1864ab;
  --accent-strong: #14548f; --on-accent: #fff; --alert: #a61e1e; --alert-back: #fff0f0;
  --back: #f1f5f9; --glow: #d8e8f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #eceff2; --muted: #a4afba; --card: #1d2227; --line: #47505a; --accent: #74b3ec;
    --accent-strong: #9ac9f3; --on-accent: #0d1720; --alert: #ffb3b3; --alert-back: #3a1f22;
    --back: #121619; --glow: #1a2a39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center;
  padding: 24px 16px; color: var(--text);
  background: radial-gradient(120% 80% at 50% 0, var(--glow), var(--back) 70%) var(--back);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  width: 100%; max-width: 408px; padding: 36px 36px 32px; border-radius: 16px;
  background: var(--card); box-shadow: 0 1px 2px #0b1a2a14, 0 16px 48px #0b1a2a1f;
}
.brand {
  display: flex; align-items: center; gap: 10px; margin: 0 0 28px; color: var(--accent);
  font-size: 18px; font-weight: 650; letter-spacing: -.01em;
}
h1 { margin: 0 0 6px; font-size: 26px; line-height: 1.2; letter-spacing: -.02em; }
.lead { margin: 0 0 24px; color: var(--muted); }
label { display: block; margin: 0 0 6px; font-weight: 550; font-size: 15px; }
input:not([type=hidden]) {
  display: block; width: 100%; height: 46px; margin: 0 0 18px; padding: 0 14px; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 10px;
}
button, .button {
  display: block; width: 100%; height: 48px; margin: 6px 0 0; border: 0; border-radius: 10px;
  font: inherit; font-weight: 600; line-height: 48px; text-align: center; text-decoration: none;
  color: var(--on-accent); background: var(--accent); cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); }
:is(input, button, .button):focus-visible {
  outline: 3px solid color-mix(in srgb, var(--accent) 45%, transparent); outline-offset: 1px;
  border-color: var(--accent);
}
.alert {
  margin: 0 0 20px; padding: 11px 14px; border-radius: 10px; font-size: 15px;
  color: var(--alert); background: var(--alert-back); border-left: 4px solid currentColor;
}
.hint { margin: 22px 0 0; color: var(--muted); font-size: 14px; text-align: center; }
@media (max-width: 440px) { main { padding: 28px 22px 24px; } }
@media (prefers-reduced-motion: no-preference) {
  input, button, .button { transition: background-color .15s, border-color .15s; }
}
`;
