/** A sentence with links to runs, workflows and files. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { visibleText } from '../../../../ui/visible-text.ts';
import classes from './origin.module.css';
import type { Part, Place, Sentence as Words } from './origin-words.ts';

export const Sentence = ({ parts }: { parts: Words }) => (
  <Text size="sm" className={classes.sentence}>
    {parts.map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
      <PartOf key={index} part={part} />
    ))}
  </Text>
);

const PartOf = ({ part }: { part: Part }) =>
  typeof part === 'string' ? (
    visibleText(part)
  ) : (
    <PlaceLink place={part.place}>{visibleText(part.text)}</PlaceLink>
  );

function PlaceLink({ place, children }: { place: Place; children: ReactNode }) {
  switch (place.to) {
    case 'run': {
      const search = place.cell === undefined ? {} : { cell: place.cell };
      return (
        <Link to="/runs/$runId" params={{ runId: String(place.id) }} search={search}>
          {children}
        </Link>
      );
    }
    case 'workflow':
      return (
        <Link to="/workflows/$workflowId" params={{ workflowId: String(place.id) }}>
          {children}
        </Link>
      );
    case 'version':
      return (
        <Link
          to="/workflows/$workflowId/versions/$versionId"
          params={{ workflowId: String(place.workflow), versionId: String(place.id) }}
        >
          {children}
        </Link>
      );
    case 'file':
      return <FileLink id={place.id}>{children}</FileLink>;
  }
}

/** Leads to the details of another file, in the same list. */
export const FileLink = ({ id, children }: { id: number; children: ReactNode }) => (
  <Link
    to="."
    search={(old) => ({ ...old, details: id, preview: undefined, origin: undefined })}
    hash=""
    resetScroll={false}
  >
    {children}
  </Link>
);
