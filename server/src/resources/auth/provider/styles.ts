/** The style sheet of the sign-in pages: inline, in the dashboard's colours. */
export const styles = `
:root {
  --text: #191d20; --muted: #626b72; --card: #fff; --line: #b3babe; --accent: #0b6e69;
  --accent-strong: #075a56; --ring: #3aa199; --alert: #a61e1e; --alert-back: #fff0f0;
  --back: #f1f3f3; --glow: #d9ecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e6e8; --muted: #b7bdc2; --card: #1b1f23; --line: #444b52; --accent: #0f7d76;
    --accent-strong: #1f8f87; --ring: #55aea7; --alert: #ffb3b3; --alert-back: #3a1f22;
    --back: #0f1113; --glow: #12312f;
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
  width: 100%; max-width: 408px; padding: 36px 36px 32px; border-radius: 16px; overflow-wrap: anywhere;
  background: var(--card); box-shadow: 0 1px 2px #0b1a2a14, 0 16px 48px #0b1a2a1f;
}
.brand {
  display: flex; align-items: center; gap: 10px; margin: 0 0 28px;
  font-size: 18px; font-weight: 650; letter-spacing: -.01em;
}
h1 { margin: 0 0 6px; font-size: 26px; line-height: 1.2; letter-spacing: -.02em; }
.lead { margin: 0 0 24px; color: var(--muted); }
label { display: block; margin: 0 0 6px; font-weight: 550; font-size: 15px; }
input:not([type=hidden]) {
  display: block; width: 100%; height: 46px; margin: 0 0 18px; padding: 0 14px; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px;
}
button, .button {
  display: block; width: 100%; min-height: 48px; margin: 6px 0 0; padding: 12px 16px; border: 0;
  border-radius: 8px; font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  color: #fff; background: var(--accent); cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); }
:is(input, button, .button):focus-visible {
  outline: 2px solid var(--ring); outline-offset: 2px;
}
.second {
  color: var(--text); background: transparent; box-shadow: inset 0 0 0 1px var(--line);
}
.second:hover { background: var(--glow); }
form + form { margin-top: 12px; }
form .lead { margin: 24px 0 12px; color: var(--text); }
.or {
  display: flex; align-items: center; gap: 12px; margin: 24px 0 20px; color: var(--muted);
  font-size: 14px;
}
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.alert {
  margin: 0 0 20px; padding: 11px 14px; border-radius: 8px; font-size: 15px;
  color: var(--alert); background: var(--alert-back); border-left: 4px solid currentColor;
}
h1 + .alert { margin-top: 18px; }
.hint { margin: 22px 0 0; color: var(--muted); font-size: 14px; text-align: center; }
@media (max-width: 440px) { main { padding: 28px 22px 24px; } }
@media (prefers-reduced-motion: no-preference) {
  input, button, .button { transition: background-color .15s, border-color .15s; }
}
`;
