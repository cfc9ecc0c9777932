/** What can be added: the definitions of the catalogue. */
import { addNode } from '@cogworks/graph/edit/edits';
import { NavLink, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Await } from '../../../ui/await.tsx';
import classes from '../builder.module.css';
import { useCatalogue } from '../catalogue.ts';
import { useEditor } from '../editor.ts';

export function Palette() {
  const editor = useEditor();
  const [search, setSearch] = useState('');
  return (
    <div className={classes.panel}>
      <TextInput
        label="Find a node"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        mb="sm"
      />
      <Await query={useCatalogue()}>
        {(all) =>
          all
            .filter(({ title, name }) =>
              `${title} ${name}`.toLowerCase().includes(search.toLowerCase()),
            )
            .map((definition) => (
              <NavLink
                key={definition.id}
                component="button"
                label={definition.title}
                description={`${definition.name} ${definition.version}`}
                onClick={() =>
                  editor.edit(`Added ${definition.title}`, (graph) => addNode(graph, definition))
                }
              />
            ))
        }
      </Await>
    </div>
  );
}
