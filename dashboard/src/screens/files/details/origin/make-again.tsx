/** Leads to a new run of the same version, over the same files, with the same variables. */
import type { MadeBy, Provenance, ProvenanceInput } from '@cogworks/sdk/contract.gen';
import { listAll } from '@cogworks/sdk/pages';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../../api.ts';
import { withRunFiles, withRunVariables } from '../../../../run-files.ts';
import { Problem } from '../../../../ui/await.tsx';
import classes from './origin.module.css';
import { againWords, whyNotAgain } from './origin-words.ts';

export function MakeAgain({ told, made }: { told: Provenance; made: MadeBy }) {
  const navigate = useNavigate();
  const again = useMutation({
    mutationFn: async () => {
      const files = withRunFiles(idsOf(await allInputs(told)));
      const variables = withRunVariables(made.variables);
      await navigate({
        to: '/runs/new',
        search: {
          workflow: made.workflow_id,
          version: made.workflow_version_id,
          until: made.until,
          ...files.search,
          ...variables.search,
        },
        state: { ...files.state, ...variables.state },
      });
    },
  });
  const refused = whyNotAgain(made);
  const words = refused ?? againWords(told.inputs);
  return (
    <div className={classes.again}>
      {again.error != null && <Problem error={again.error} />}
      {refused === undefined && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRepeat size={15} />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          <Trans>Make again…</Trans>
        </Button>
      )}
      {words && (
        <Text size="xs" c="var(--faint)">
          {words}
        </Text>
      )}
    </div>
  );
}

/** Most results are made from few files, which are known already. */
async function allInputs(told: Provenance): Promise<readonly ProvenanceInput[]> {
  const { cog_id, version, inputs, inputs_total } = told;
  if (inputs.length >= inputs_total) return inputs;
  const args = { path: { id: cog_id }, query: { version, limit: 1000 } };
  return listAll(api, 'listProvenanceInputs', args);
}

/** Of those that can go into a run. */
const idsOf = (inputs: readonly ProvenanceInput[]): number[] => [
  ...new Set(
    inputs.flatMap(({ state, cog_id }) =>
      state === 'available' && cog_id !== undefined ? [cog_id] : [],
    ),
  ),
];
