/** Two or more screens of one place, as tabs that are links. */
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import classes from './link-tabs.module.css';

export const LinkTabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className={classes.tabs}>
    {children}
  </nav>
);

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> };

const TabAnchor = (props: Props) => <a {...props} className={classes.tab} />;

export const LinkTab = createLink(TabAnchor);
