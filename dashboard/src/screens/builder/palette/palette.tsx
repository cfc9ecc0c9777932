/** What can be added: the catalogue, searched by words or types. By a click, Enter or dragging. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Box, CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { Await, LoadingRows } from '../../../ui/await.tsx';
import { useEditor } from '../editor.ts';
import { addDefinition } from '../edits/adding.ts';
import { DefinitionRow } from './definition-row.tsx';
import { findIn, latestOf } from './found.ts';
import { NothingFound } from './nothing-found.tsx';
import classes from './palette.module.css';

const loading = (
  <Box px="md">
    <LoadingRows />
  </Box>
);

export function Palette() {
  const [search, setSearch] = useState('');
  return (
    <div className={classes.palette}>
      <Await query={useCatalogue()} loading={loading}>
        {(all) => <Found catalogue={all} search={search} onSearch={setSearch} />}
      </Await>
    </div>
  );
}

type Props = {
  catalogue: readonly NodeDefinition[];
  search: string;
  onSearch: (text: string) => void;
};

function Found({ catalogue, search, onSearch }: Props) {
  const editor = useEditor();
  const found = findIn(latestOf(catalogue), search);
  const categories = [...Map.groupBy(found, ({ category }) => category || 'other')].toSorted(
    ([a], [b]) => a.localeCompare(b),
  );
  const add = (definition: NodeDefinition) => void addDefinition(editor, definition);
  return (
    <>
      <form
        className={classes.search}
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = categories[0]?.[1] ?? [];
          if (first) add(first);
        }}
      >
        <TextInput
          type="search"
          aria-label={t`Find a step to add`}
          placeholder={t`Find: crop, text, takes pdf`}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={
            search && <CloseButton size="sm" aria-label={t`Clear`} onClick={() => onSearch('')} />
          }
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
      </form>
      {categories.map(([category, definitions]) => (
        <section key={category} className={classes.group} aria-label={category}>
          <h2 className={classes.groupTitle}>{category}</h2>
          {definitions.map((definition) => (
            <DefinitionRow
              key={definition.id}
              definition={definition}
              onAdd={() => add(definition)}
            />
          ))}
        </section>
      ))}
      {found.length === 0 && <NothingFound isCatalogueEmpty={catalogue.length === 0} />}
    </>
  );
}
