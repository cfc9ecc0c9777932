/** Scripts that sign a message as Standard Webhooks say, and post it. Pure. */

export const curlExample = (url: string) => `SECRET='whsec_…'
BODY='{"hello": "world"}'
ID="msg_$(openssl rand -hex 12)"
AT=$(date +%s)
KEY=$(printf %s "\${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
SIGNATURE=$(printf %s "$ID.$AT.$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
curl '${url}' \\
  -H 'Content-Type: application/json' \\
  -H "webhook-id: $ID" -H "webhook-timestamp: $AT" \\
  -H "webhook-signature: v1,$SIGNATURE" \\
  -d "$BODY"
`;

export const nodeExample = (
  url: string,
) => `const { createHmac, randomUUID } = await import('node:crypto');

const secret = process.env.WEBHOOK_SECRET; // whsec_…
const body = JSON.stringify({ hello: 'world' });
const id = \`msg_\${randomUUID()}\`;
const at = Math.floor(Date.now() / 1000);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
const signature = createHmac('sha256', key).update(\`\${id}.\${at}.\${body}\`).digest('base64');

const answer = await fetch('${url}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': \`v1,\${signature}\`,
  },
  body,
});
console.log(answer.status, await answer.json());
`;
