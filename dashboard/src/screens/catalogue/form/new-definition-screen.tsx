/** A new step, or the next version of one: its form beside what the container will see. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { api } from '../../../api.ts';
import { catalogueKey, useCatalogue } from '../../../catalogue.ts';
import { versionAfter } from '../../../definition-versions.ts';
import { useRequestKey } from '../../../request-key.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { ButtonLink } from '../../../ui/button-link.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Screen } from '../../../ui/screen.tsx';
import outer from '../catalogue.module.css';
import { ContainerExample } from '../container-example.tsx';
import { titleOf } from '../entries.ts';
import { useDefinition } from '../queries.ts';
import { CommandField } from './command-field.tsx';
import { definitionOf, type Form, faultsOf, formOf, newForm, paramsOf } from './definition-form.ts';
import { type Editing, partOf } from './editing.ts';
import classes from './form.module.css';
import { EnvFields, ImageFields, LimitFields, NameFields } from './other-fields.tsx';
import { ParamFields } from './param-fields.tsx';
import { InputFields, OutputFields } from './port-fields.tsx';

export function NewDefinitionScreen() {
  const { step } = useSearch({ strict: false });
  if (step !== undefined) return <NextVersion key={step} of={step} />;
  return (
    <Frame title={t`New step`}>
      <DefinitionForm start={newForm} />
    </Frame>
  );
}

const Frame = ({ title, children }: { title: string; children: ReactNode }) => (
  <Screen
    title={title}
    lead={
      <Anchor component={Link} to="/workflows/catalogue" size="sm" c="var(--faint)">
        <Trans>Steps</Trans>
      </Anchor>
    }
    description={t`A container image with named inputs, outputs and settings. What is registered never changes; a change is a new version.`}
  >
    {children}
  </Screen>
);

function NextVersion({ of }: { of: number }) {
  const definition = useDefinition(of);
  const all = useCatalogue();
  const { data } = definition;
  return (
    <Frame title={data ? titleAfter(data) : t`New version`}>
      <Await query={definition} loading={<LoadingRows rows={4} />}>
        {(old) => (
          <Await query={all} loading={<LoadingRows rows={4} />}>
            {(rows) => (
              <DefinitionForm start={() => formOf(old, versionAfter(rows, old))} of={old} />
            )}
          </Await>
        )}
      </Await>
    </Frame>
  );
}

function titleAfter(definition: NodeDefinition): string {
  const title = titleOf(definition);
  return definition.scope === 'platform'
    ? t`Your own version of ${title}`
    : t`New version of ${title}`;
}

const parts = {
  Name: partOf(NameFields, ['name', 'version', 'title', 'category', 'description']),
  Image: partOf(ImageFields, ['image', 'digest']),
  Command: partOf(CommandField, ['command']),
  Inputs: partOf(InputFields, ['inputs']),
  Outputs: partOf(OutputFields, ['outputs']),
  Params: partOf(ParamFields, ['params', 'paramsJson']),
  Env: partOf(EnvFields, ['env']),
  Limits: partOf(LimitFields, [
    ...(['cpu', 'memory_mb', 'disk_mb', 'gpu', 'timeout_seconds'] as const),
    ...(['max_attempts', 'retry_on', 'hasNetwork', 'isCached'] as const),
  ]),
};

type FormProps = { start: () => Form; of?: NodeDefinition };

function DefinitionForm({ start, of }: FormProps) {
  const [first] = useState(start);
  const [form, setForm] = useState(first);
  const box = useRef<HTMLFormElement>(null);
  const register = useRegistration(box);
  const { byField, others } = useMemo(() => faultsOf(register.error), [register.error]);
  const editing: Editing = {
    form,
    change: (changes) => setForm((old) => ({ ...old, ...changes })),
    fault: useCallback((field: string) => byField.get(field), [byField]),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate(form);
  };
  const { version } = form;
  const isPlaced = byField.size > 0 && others.length === 0;
  return (
    <div className={outer.sides}>
      <form ref={box} onSubmit={submit}>
        <Part title={t`What it is called`}>
          <parts.Name {...editing} isNext={of?.scope === 'tenant'} />
        </Part>
        <Part title={t`Image`}>
          <parts.Image {...editing} />
        </Part>
        <Part title={t`Command`}>
          <parts.Command {...editing} />
        </Part>
        <Part title={t`Takes`}>
          <parts.Inputs {...editing} />
        </Part>
        <Part title={t`Makes`}>
          <parts.Outputs {...editing} />
        </Part>
        <Part title={t`Settings`}>
          <parts.Params {...editing} />
        </Part>
        <Part title={t`Environment`}>
          <parts.Env {...editing} />
        </Part>
        <Part title={t`Limits`}>
          <parts.Limits {...editing} />
        </Part>
        {register.error && !isPlaced && <Problem error={register.error} />}
        <div className={classes.end}>
          <Button type="submit" loading={register.isPending} disabled={!paramsOf(form)}>
            {of ? t`Register version ${version}` : t`Register the step`}
          </Button>
          <ButtonLink variant="default" to="/workflows/catalogue">
            <Trans>Cancel</Trans>
          </ButtonLink>
          {isPlaced && (
            <span role="alert" style={{ color: 'var(--mantine-color-error)', fontSize: 14 }}>
              {plural(byField.size, {
                one: 'One field is not right yet.',
                other: '# fields are not right yet.',
              })}
            </span>
          )}
        </div>
      </form>
      <aside className={outer.beside} aria-labelledby="container">
        <h2 id="container" className={outer.besideTitle}>
          <Trans>What the container will see</Trans>
        </h2>
        <Example form={form} />
      </aside>
      <Leaving isEdited={form !== first && !register.isSuccess && !register.isPending} />
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={classes.part} aria-label={title}>
    <h2 className={classes.title}>{title}</h2>
    {children}
  </section>
);

function Example({ form }: { form: Form }) {
  const definition = useMemo(() => {
    const { command, env = {}, inputs = [], outputs, params = {} } = definitionOf(form);
    return { command, env, inputs, outputs, params };
  }, [form]);
  return <ContainerExample definition={definition} />;
}

function useRegistration(box: { current: HTMLFormElement | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (form: Form) => {
      const body = definitionOf(form);
      return api.registerNodeDefinition({ body, idempotencyKey: keyOf(body) });
    },
    onSuccess: async (made) => {
      client.setQueryData(['definition', made.id], made);
      await client.invalidateQueries({ queryKey: catalogueKey });
      const title = titleOf(made);
      const { version } = made;
      notifications.show({ message: t`${title} ${version} is registered.` });
      await navigate({
        to: '/workflows/catalogue/$definitionId',
        params: { definitionId: String(made.id) },
        ignoreBlocker: true,
      });
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      // The faults are beside their fields after this event.
      setTimeout(() => box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    },
  });
}

/** Asks before what was typed is lost. */
function Leaving({ isEdited }: { isEdited: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isEdited,
    enableBeforeUnload: () => isEdited,
    withResolver: true,
  });
  const isAsked = blocker.status === 'blocked';
  return (
    <Confirm
      opened={isAsked}
      title={t`Leave without registering?`}
      verb={t`Leave`}
      otherwise={t`Stay`}
      isBusy={false}
      error={null}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      <Trans>What you typed is not kept.</Trans>
    </Confirm>
  );
}
