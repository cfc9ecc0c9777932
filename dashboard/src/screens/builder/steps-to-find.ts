/** The steps of the graph, for the palette: by their titles, keys and what they are. */
import { IconBox } from '@tabler/icons-react';
import { useCatalogue } from '../../catalogue.ts';
import { useStepsToFind } from '../../commands/use-commands.ts';
import { useEditor } from './editor.ts';

/** @param goTo shows a step in the view that is open, and gives it the focus. */
export function useGraphSteps(goTo: (key: string) => void): void {
  const editor = useEditor();
  const { data: catalogue } = useCatalogue();
  useStepsToFind(() => {
    const kinds = new Map((catalogue ?? []).map(({ id, title, name }) => [id, title || name]));
    return editor.getState().graph.nodes.map(({ key, title, node_definition_id }) => {
      const kind = kinds.get(node_definition_id);
      const label = title || key;
      return {
        ...{ id: key, label, words: `${key} ${kind ?? ''}`, icon: IconBox },
        about: kind === label ? undefined : kind,
        run: () => goTo(key),
      };
    });
  });
}
