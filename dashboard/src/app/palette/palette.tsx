/**
 * Ctrl+K: goes to any screen, file, workflow, run, template or step of the graph that is shown by a
 * part of its name, and does what the buttons do, also those of the screen.
 *
 * A combobox: the focus stays in the field, and the list tells which row is chosen.
 */
import { plural, t } from '@lingui/core/macro';
import { Kbd, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCornerDownLeft, IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { keyWords } from '../../commands/key-words.ts';
import { commandsOfScreen, giveCommand, stepsOfScreen } from '../../commands/registry.ts';
import { useMe } from '../../people.ts';
import { isBehindDialog } from '../../ui/behind-dialog.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isMac } from '../mac.ts';
import { session } from '../session.ts';
import { useFound } from './finding.ts';
import { matching } from './matching.ts';
import classes from './palette.module.css';
import {
  type Act,
  actions,
  type Entry,
  type EntryGroup,
  isOff,
  offered,
  ofScreen,
  screensFor,
} from './places.ts';
import { recentPlaces } from './recent.ts';

type Props = { onClose: () => void; onAct: (act: 'new folder' | 'upload') => void };

export function Palette({ onClose, onAct }: Props) {
  const [text, setText] = useState('');
  const screen = useScreen();
  const groups = useGroups(text.trim(), screen);
  const entries = groups.rows.flatMap((group) => group.entries);
  const { at, choose } = useChosen(entries, text, screen);
  const id = useId();
  const chosen = entries[at];
  const run = useRun(onClose, onAct);

  const press = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      choose(entries.at(to % entries.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (chosen && !isOff(chosen)) run(chosen);
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t`Search and commands`}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      size={600}
      padding={0}
      // Also over the dialog from which it is opened.
      zIndex={300}
      classNames={{ header: classes.title }}
    >
      <div className={classes.field}>
        <IconSearch size={18} aria-hidden />
        <input
          className={classes.input}
          role="combobox"
          aria-label={t`Search and commands`}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen && idOf(id, chosen)}
          placeholder={t`Search files, workflows, runs, or what to do`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            choose(undefined);
          }}
          onKeyDown={press}
          maxLength={200}
          data-autofocus
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t`Found`} className={classes.list}>
        <Groups groups={groups.rows} id={id} at={at} onChoose={choose} onRun={run} />
      </div>
      <div className={classes.foot} role="status">
        {text === ''
          ? t`Arrows choose, Enter opens, Escape closes.`
          : groups.isSearching
            ? t`Searching …`
            : groups.isBroken
              ? t`The service could not be asked. Screens and actions are still here.`
              : entries.length === 0
                ? t`Nothing is called “${text.trim()}”.`
                : plural(entries.length, { one: '# result.', other: '# results.' })}
      </div>
    </Dialog>
  );
}

/** Behind a dialog nothing may change, as by keys. */
const nothing = { commands: [], steps: [] };

/** The row that Enter takes: the one chosen by hand, else the first that does something. */
function useChosen(entries: readonly Entry[], text: string, screen: Screen) {
  const [chosen, choose] = useState<Entry>();
  const [last, setLast] = useState<{ text: string; screen: Screen; entry: Entry | undefined }>();
  // What the screen can do by now may come above: that must not be taken by an Enter for another.
  const isOvertaken = last?.text === text && last.screen !== screen;
  const kept = chosen ?? (isOvertaken ? last.entry : undefined);
  const at = indexOfChosen(entries, kept);
  const entry = entries[at];
  if (last?.text !== text || isOvertaken || last.entry?.key !== entry?.key) {
    setLast({ text, screen, entry });
    if (kept !== chosen) choose(kept);
  }
  return { at, choose };
}

/** -1 if a command was chosen that is gone: nothing else comes in its place. */
function indexOfChosen(entries: readonly Entry[], chosen: Entry | undefined): number {
  const at = entries.findIndex(({ key }) => key === chosen?.key);
  if (at !== -1 || (chosen && 'command' in chosen)) return at;
  return Math.max(
    0,
    entries.findIndex((entry) => !isOff(entry)),
  );
}

/** The same as long as a row is of the same thing. */
const idOf = (list: string, { key }: Entry) => `${list}-${encodeURIComponent(key)}`;

type Screen = ReturnType<typeof ofScreen>;

/** Also the parts of the screen that come while the palette is open. */
function useScreen() {
  const [isBehind] = useState(isBehindDialog);
  const parts = useSyncExternalStore(commandsOfScreen.subscribe, commandsOfScreen.changes);
  const graphs = useSyncExternalStore(stepsOfScreen.subscribe, stepsOfScreen.changes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has come is to be read
  return useMemo(() => (isBehind ? nothing : ofScreen()), [isBehind, parts, graphs]);
}

/** What is offered: the places left last and the actions, or what fits to the text. */
function useGroups(text: string, screen: Screen) {
  const { data: me } = useMe();
  const [asked] = useDebouncedValue(text, 150);
  const found = useFound(asked.slice(0, 100));
  const rows = useMemo((): EntryGroup[] => {
    const screens = screensFor(me);
    const { commands, steps } = screen;
    const own = new Set(commands.flatMap((one) => ('command' in one ? one.command : [])));
    // The screen has its own of these, which know its folder and what one may do there.
    const general = actions.filter(({ key }) => !own.has(key));
    if (text === '') {
      return offered({ recent: me ? recentPlaces(me.id) : [], commands, general, screens });
    }
    const known = [
      { title: t`On this screen`, entries: matching(commands, text, 6) },
      { title: t`Steps of this graph`, entries: matching(steps, text, 6) },
      { title: t`Go to`, entries: matching(screens, text, 5) },
      { title: t`Actions`, entries: matching(general, text, 5) },
    ].filter(({ entries }) => entries.length > 0);
    return [...known, ...(found.data ?? [])];
  }, [text, me, found.data, screen]);
  const isSearching = text !== '' && (found.isFetching || asked !== text);
  return { rows, isSearching, isBroken: found.error != null };
}

function useRun(onClose: () => void, onAct: Props['onAct']) {
  const router = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  const act = (what: Act) => {
    if (what === 'sign out') return void session.signOut();
    if (what === 'new folder' || what === 'upload') return onAct(what);
    setColorScheme(what);
  };
  return (entry: Entry) => {
    onClose();
    if ('act' in entry) return act(entry.act);
    if ('command' in entry) return afterFocus(() => giveCommand(entry.of, entry.command));
    const path = entry.href.replace(/^\/app(?=\/)/, '');
    void router.navigate({ href: router.options.basepath + path } as never);
  };
}

/** The dialog gives the focus back by a timer of its own; the command may take it elsewhere then. */
const afterFocus = (run: () => void) => setTimeout(() => setTimeout(run));

type GroupsProps = {
  groups: readonly EntryGroup[];
  id: string;
  at: number;
  onChoose: (entry: Entry) => void;
  onRun: (entry: Entry) => void;
};

function Groups({ groups, id, at, onChoose, onRun }: GroupsProps) {
  const chosen = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row may be out of sight
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest' });
  }, [at, groups]);
  let index = -1;
  return groups.map(({ title, entries }, group) => (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
    <div key={title} role="group" aria-labelledby={`${id}-of-${group}`} className={classes.group}>
      <div id={`${id}-of-${group}`} className={classes.heading} role="presentation">
        {title}
      </div>
      {entries.map((entry) => {
        index += 1;
        const isChosen = index === at;
        const { icon: Icon } = entry;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its keys
          <div
            key={entry.key}
            ref={isChosen ? chosen : undefined}
            id={idOf(id, entry)}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen}
            aria-disabled={isOff(entry) || undefined}
            className={classes.row}
            onMouseMove={() => onChoose(entry)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              if (!isOff(entry)) onRun(entry);
            }}
          >
            <Icon size={18} stroke={1.7} aria-hidden />
            <span className={classes.label}>{entry.label}</span>
            {entry.hint && <span className={classes.hint}>{entry.hint}</span>}
            {'keys' in entry && entry.keys !== undefined && (
              <Kbd size="xs" className={classes.keys}>
                {keyWords(entry.keys, isMac)}
              </Kbd>
            )}
            {isChosen && !isOff(entry) && <IconCornerDownLeft size={16} stroke={1.7} aria-hidden />}
          </div>
        );
      })}
    </div>
  ));
}
