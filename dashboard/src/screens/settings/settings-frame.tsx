/** Settings: a menu of their screens beside the one that is open; on a phone above it. */
import { t } from '@lingui/core/macro';
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useMe } from '../../people.ts';
import { type Section, sectionsFor } from './sections.ts';
import classes from './settings-frame.module.css';

type Groups = readonly [string, readonly Section[]][];

export function SettingsFrame() {
  const groups = sectionsFor(useMe().data);
  return (
    <div className={classes.frame}>
      <nav aria-label={t`Settings`} className={classes.sections}>
        {groups.map(([group, sections]) => (
          <Fragment key={group}>
            <span className={classes.group}>{group}</span>
            {sections.map(({ to, label, icon: Icon }) => (
              <Link key={to} to={to} className={classes.link}>
                <Icon size={17} stroke={1.7} aria-hidden />
                {label}
              </Link>
            ))}
          </Fragment>
        ))}
      </nav>
      <div>
        <SectionsMenu groups={groups} />
        <Outlet />
      </div>
    </div>
  );
}

function SectionsMenu({ groups }: { groups: Groups }) {
  const { pathname } = useLocation();
  const section = groups
    .flatMap(([, sections]) => sections)
    .find(({ to }) => pathname.startsWith(to))?.label;
  return (
    <nav aria-label={t`Settings`} className={classes.menu}>
      <Menu position="bottom-start" width={240}>
        <Menu.Target>
          <Button
            variant="default"
            size="compact-md"
            rightSection={<IconChevronDown size={16} aria-hidden />}
          >
            {section ? t`Settings: ${section}` : t`Settings: all`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {groups.map(([group, sections]) => (
            <Fragment key={group}>
              <Menu.Label>{group}</Menu.Label>
              {sections.map(({ to, label, icon: Icon }) => (
                <Menu.Item
                  key={to}
                  component={Link}
                  to={to}
                  leftSection={<Icon size={16} stroke={1.7} />}
                >
                  {label}
                </Menu.Item>
              ))}
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  );
}
