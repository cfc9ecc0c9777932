/** Writing the condition of a step: how it goes on, and what it comes to for a file. Pure. */
import { ExpressionError, evaluate, type FileScope } from '@cogworks/graph/expression';
import { fileMembers, parseExpression } from '@cogworks/graph/expression-syntax';
import { withDefaults } from '@cogworks/graph/schema';
import type { Definition, GraphNode, GraphVariable } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { wordsOfVariable } from '../../schema-form/bindings.ts';
import type { Suggestion, Suggestions } from '../../ui/completion-input.tsx';

export type ConditionScope = {
  node: GraphNode;
  definition: Definition | undefined;
  variables: readonly GraphVariable[];
};

const fileHints: Record<(typeof fileMembers)[number], string> = {
  name: t`such as scan-3.pdf`,
  stem: t`such as scan-3`,
  media_type: t`such as application/pdf`,
  size_bytes: t`the size, in bytes`,
};

const functionHints = [
  { insert: 'contains(', label: t`contains(text, part)`, hint: t`whether a part is in a text` },
  { insert: 'startsWith(', label: t`startsWith(text, part)`, hint: t`whether a text begins so` },
  { insert: 'endsWith(', label: t`endsWith(text, part)`, hint: t`whether a text ends so` },
];

const called = (name: string, hint: string): Suggestion => ({ insert: name, label: name, hint });

/** The names that may follow; nothing inside of a text in quotes. */
export function suggestNames(
  { node, definition, variables }: ConditionScope,
  before: string,
): Suggestions | null {
  if (isInText(before)) return null;
  const word = /[A-Za-z_][\w.-]*$/u.exec(before);
  if (!word) return null;
  const typed = word[0].toLowerCase();
  const all: Suggestion[] = [
    ...variables.map((variable) =>
      called(`vars.${variable.variable_name}`, wordsOfVariable(variable)),
    ),
    // Only a step that runs once per file has one file.
    ...(node.map ? fileMembers : []).map((member) => called(`file.${member}`, fileHints[member])),
    ...Object.keys(withDefaults(definition?.params ?? {}, node.params ?? {})).map((name) =>
      called(`params.${name}`, t`a setting of this step`),
    ),
    ...functionHints,
  ];
  const options = all.filter(
    ({ insert }) => insert.toLowerCase().includes(typed) && insert.toLowerCase() !== typed,
  );
  return { from: word.index, options: options.slice(0, 50) };
}

function isInText(before: string): boolean {
  const open = before.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gu, '');
  return /["']/u.test(open);
}

/**
 * What a condition comes to with the defaults of the variables; null if it cannot be told, since a
 * value is not known before a run.
 */
export function resultFor(
  text: string,
  { node, definition, variables }: ConditionScope,
  file: FileScope | undefined,
): boolean | null {
  const parsed = parseExpression(text);
  if ('fault' in parsed) return null;
  const vars = Object.fromEntries(
    variables.flatMap((one) =>
      one.default === undefined && one.required ? [] : [[one.variable_name, one.default ?? null]],
    ),
  );
  const params = withDefaults(definition?.params ?? {}, node.params ?? {});
  try {
    return evaluate(parsed.ast, { vars, params, ...(node.map && file ? { file } : {}) });
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}
