/** What a definition is called, its image, its environment and its limits. */
import { reportedErrorClasses } from '@cogworks/graph/error-classes';
import { t } from '@lingui/core/macro';
import { Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { type Form, imageWords, keyed } from './definition-form.ts';
import type { Editing } from './editing.ts';
import classes from './form.module.css';
import { RowList } from './row-list.tsx';

type TextName = {
  [Name in keyof Form]: Form[Name] extends string ? Name : never;
}[keyof Form];

type FieldProps = Editing & {
  name: TextName;
  label: string;
  /** In the request, if it is another there. */
  at?: string;
  description?: string;
  placeholder?: string;
  isCode?: boolean;
  isNumber?: boolean;
};

export const Field = ({ form, change, fault, name, label, at = name, ...rest }: FieldProps) => {
  const { isCode = false, isNumber = false, ...shown } = rest;
  return (
    <TextInput
      label={label}
      {...shown}
      {...(isCode && { classNames: { input: classes.code ?? '' }, spellCheck: false })}
      {...(isNumber && { inputMode: 'decimal' as const })}
      autoComplete="off"
      value={form[name]}
      error={fault(at)}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
};

/** @param isNext the name stays, and the version is new. */
export function NameFields({ isNext, ...editing }: Editing & { isNext: boolean }) {
  const { form, change, fault } = editing;
  return (
    <div className={classes.fields}>
      {isNext ? (
        <TextInput
          label={t`Name`}
          classNames={{ input: classes.code ?? '' }}
          readOnly
          value={form.name}
        />
      ) : (
        <Field {...editing} name="name" label={t`Name`} placeholder={t`resize-pictures`} isCode />
      )}
      <Field {...editing} name="version" label={t`Version`} isCode />
      <Field {...editing} name="title" label={t`Title`} placeholder={form.name} />
      <Field {...editing} name="category" label={t`Category`} placeholder={t`Pictures`} />
      <Textarea
        className={classes.wide}
        label={t`What it does`}
        autosize
        minRows={2}
        maxRows={8}
        value={form.description}
        error={fault('description')}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </div>
  );
}

export function ImageFields(editing: Editing) {
  const { form, fault } = editing;
  const { words, isFault } = imageWords(form.image, form.digest.trim());
  return (
    <div className={classes.fields}>
      <div className={classes.wide}>
        <Field
          {...editing}
          name="image"
          label={t`Image`}
          placeholder="registry.example/tools:1.2"
          isCode
        />
      </div>
      <div className={classes.wide}>
        <Field {...editing} name="digest" label={t`Digest`} placeholder="sha256:…" isCode />
      </div>
      {!fault('image') && (
        <Text
          size="xs"
          className={classes.wide}
          c={isFault ? 'var(--mantine-color-error)' : 'var(--faint)'}
          aria-live="polite"
        >
          {words}
        </Text>
      )}
    </div>
  );
}

export const EnvFields = ({ form, change, fault }: Editing) => (
  <RowList
    rows={form.env}
    words={{ add: t`Add a variable`, remove: (number) => t`Remove variable ${number}` }}
    none={t`Settings come as PARAM_… without being named here.`}
    onChange={(env) => change({ env })}
    onNew={() => keyed({ name: '', value: '' })}
  >
    {(row, _, changeRow) => (
      <>
        <TextInput
          label={t`Name`}
          classNames={{ input: classes.code ?? '' }}
          spellCheck={false}
          value={row.name}
          error={fault(`env.${row.name}`)}
          onChange={(event) => changeRow({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t`Value`}
          classNames={{ input: classes.code ?? '' }}
          spellCheck={false}
          value={row.value}
          onChange={(event) => changeRow({ value: event.currentTarget.value })}
        />
      </>
    )}
  </RowList>
);

export function LimitFields(editing: Editing) {
  const { form, change, fault } = editing;
  return (
    <div className={classes.fields}>
      <Field {...editing} name="cpu" at="resources.cpu" label={t`Cpus`} isNumber />
      <Field
        {...editing}
        name="memory_mb"
        at="resources.memory_mb"
        label={t`Memory in MB`}
        isNumber
      />
      <Field {...editing} name="disk_mb" at="resources.disk_mb" label={t`Disk in MB`} isNumber />
      <Field {...editing} name="gpu" at="resources.gpu" label={t`Gpus`} isNumber />
      <Field {...editing} name="timeout_seconds" label={t`Stopped after, in seconds`} isNumber />
      <Field
        {...editing}
        name="max_attempts"
        at="retry.max_attempts"
        label={t`Tries at most`}
        isNumber
      />
      <TagsInput
        className={classes.wide}
        label={t`Tried again after`}
        description={t`A kind of failure, or an exit code such as exit:75.`}
        placeholder={form.retry_on.length === 0 ? t`Nothing` : ''}
        data={[...reportedErrorClasses]}
        value={form.retry_on}
        error={fault('retry.on')}
        comboboxProps={{ withinPortal: false }}
        acceptValueOnBlur
        onChange={(retry_on) => change({ retry_on })}
      />
      <Switch
        className={classes.wide}
        label={t`May reach the internet`}
        checked={form.hasNetwork}
        onChange={(event) => change({ hasNetwork: event.currentTarget.checked })}
      />
      <Switch
        className={classes.wide}
        label={t`Results are taken over where nothing changed`}
        checked={form.isCached}
        onChange={(event) => change({ isCached: event.currentTarget.checked })}
      />
    </div>
  );
}
