/** The steps that led to one in its test, with how far each is. Each leads to its results. */
import { topologicalOrder } from '@cogworks/graph/order';
import { t } from '@lingui/core/macro';
import { useEditorState } from '../editor.ts';
import { titleOf } from '../step-words.ts';
import classes from './test.module.css';
import { TestLine } from './test-line.tsx';
import { useTestState } from './testing.ts';

type Props = { runId: number | undefined; except: string; onOpen: (key: string) => void };

export function StepsOfTest({ runId, except, onOpen }: Props) {
  const graph = useEditorState((state) => state.graph);
  const tested = useTestState((state) => state.tested);
  const keys = topologicalOrder(graph).filter(
    (key) => key !== except && runId !== undefined && tested.get(key)?.runId === runId,
  );
  if (keys.length === 0) return null;
  return (
    <ul className={classes.steps} aria-label={t`Steps of the test`}>
      {keys.map((key) => (
        <li key={key}>
          <div className={classes.stepTitle}>{titleOf(graph, key)}</div>
          <TestLine nodeKey={key} title={titleOf(graph, key)} onOpen={() => onOpen(key)} />
        </li>
      ))}
    </ul>
  );
}
