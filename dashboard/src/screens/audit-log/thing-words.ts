/** Sentences about keys, secrets, triggers, notices, workers, workflows and images. Pure. */
import { t } from '@lingui/core/macro';
import type { Told, Words } from './told.ts';

export const thingWords: Words = {
  'api_key.created': ({ who, target }) => t`${who} made the API key ${target}.`,
  'api_key.rotated': ({ who, target }) => t`${who} rotated the API key ${target}.`,
  'api_key.revoked': ({ who, target }) => t`${who} revoked the API key ${target}.`,
  'api_key.reported': ({ target, person }) =>
    t`Somebody had found the API key ${target} of ${{ person: person('user_id') }}, and reported it: it was revoked.`,

  'secret.created': ({ who, target }) => t`${who} made the secret ${target}.`,
  'secret.changed': ({ who, target }) => t`${who} changed the secret ${target}.`,
  'secret.tested': ({ who, target }) => t`${who} tested the secret ${target}.`,
  'secret.deleted': ({ who, target }) => t`${who} deleted the secret ${target}.`,

  'trigger.created': ({ who, target }) => t`${who} made the trigger ${target}.`,
  'trigger.changed': ({ who, target }) => t`${who} changed the trigger ${target}.`,
  'trigger.secret_rotated': ({ who, target }) =>
    t`${who} made a new secret for the trigger ${target}.`,
  'trigger.deleted': ({ who, target }) => t`${who} deleted the trigger ${target}.`,
  'trigger.paused': triggerPaused,
  'trigger.transferred': ({ target, person }) =>
    t`The trigger ${target} went from ${{ from: person('from') }} to ${{ to: person('to') }}.`,

  'notice.created': ({ who, target }) => t`${who} made the notice ${target}.`,
  'notice.changed': ({ who, target }) => t`${who} changed the notice ${target}.`,
  'notice.secret_rotated': ({ who, target }) =>
    t`${who} made a new secret for the notice ${target}.`,
  'notice.deleted': ({ who, target }) => t`${who} deleted the notice ${target}.`,
  'notice.paused': noticePaused,
  'notice.transferred': ({ target, person }) =>
    t`The notice ${target} went from ${{ from: person('from') }} to ${{ to: person('to') }}.`,

  'worker.enrolled': workerEnrolled,
  'worker.enrollment_token_created': ({ who }) => t`${who} made a token to enrol a worker.`,
  'worker.deleted': ({ who, target }) => t`${who} deleted the worker ${target}.`,

  'workflow.deleted': ({ who, target }) => t`${who} deleted the workflow ${target}.`,
  'workflow.transferred': ({ target, person }) =>
    t`The workflow ${target} went from ${{ from: person('from') }} to ${{ to: person('to') }}.`,
  'workflow_run.deleted': ({ who, target }) => t`${who} deleted the run ${target}.`,
  'workflow_template.created': ({ who, target }) => t`${who} made the template ${target}.`,
  'workflow_template.deleted': ({ who, target }) => t`${who} deleted the template ${target}.`,
  'image.deleted': ({ who, target }) => t`${who} deleted the image ${target}.`,
};

function triggerPaused({ target, text }: Told): string {
  const reason = text('off_reason');
  if (reason === 'run_as_disabled')
    return t`The trigger ${target} was turned off: the person it runs as is disabled.`;
  if (reason === 'refused_repeatedly')
    return t`The trigger ${target} was turned off: its starts were refused again and again.`;
  return t`The trigger ${target} was turned off: ${reason}.`;
}

function noticePaused({ target, text }: Told): string {
  const reason = text('off_reason');
  if (reason === 'failing')
    return t`The notice ${target} was turned off: its deliveries failed for days.`;
  if (reason === 'gone')
    return t`The notice ${target} was turned off: the receiver said that it is gone.`;
  return t`The notice ${target} was turned off: ${reason}.`;
}

function workerEnrolled({ who, target, number, person, text }: Told): string {
  if (number('enrollment_token_id') === undefined) return t`${who} enrolled the worker ${target}.`;
  const [address, maker] = [text('address'), person('token_by')];
  return t`The worker ${target} was enrolled from ${address}, with a token that ${maker} had made.`;
}
