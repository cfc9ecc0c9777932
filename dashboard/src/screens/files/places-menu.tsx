/** On a phone: the lists of files, which the main menu has on wide screens. */
import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import classes from './places-menu.module.css';

const places = [
  { to: '/files', label: t`My Files` },
  { to: '/shared', label: t`Shared` },
  { to: '/trash', label: t`Trash` },
] as const;

export function PlacesMenu() {
  return (
    <nav aria-label={t`Lists of files`} className={classes.places}>
      {places.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          className={classes.place}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
