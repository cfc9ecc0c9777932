/** The people, and for admins what can be done with each. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { VisuallyHidden } from '@mantine/core';
import { useMe } from '../../people.ts';
import { PersonLine } from '../../person-line.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { MemberActions } from './member-actions.tsx';
import classes from './members.module.css';
import { roleLabel } from './roles.tsx';

type Props = { rows: readonly User[]; isAdmin: boolean };

export function MemberTable({ rows, isAdmin }: Props) {
  const { data: me } = useMe();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Person</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Role</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Status</Trans>
          </th>
          {isAdmin && (
            <>
              <th className={table.wide}>
                <Trans>Last active</Trans>
              </th>
              <th>
                <VisuallyHidden>
                  <Trans>Actions</Trans>
                </VisuallyHidden>
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((user) => (
          <tr key={user.id}>
            <td className={classes.person}>
              <PersonLine
                user={user}
                after={
                  user.id === me?.id && (
                    <Tag tone="accent">
                      <Trans>You</Trans>
                    </Tag>
                  )
                }
              />
              <span className={`${classes.below} ${classes.besideAvatar}`}>
                {user.status === 'disabled'
                  ? t`${{ role: roleLabel(user.role) }}, disabled`
                  : roleLabel(user.role)}
              </span>
            </td>
            <td className={`${table.quiet} ${table.wide}`}>{roleLabel(user.role)}</td>
            <td className={`${table.quiet} ${table.wide}`}>
              {user.status === 'disabled' ? (
                <Tag>
                  <Trans>Disabled</Trans>
                </Tag>
              ) : (
                t`Active`
              )}
            </td>
            {isAdmin && (
              <>
                <td className={`${table.quiet} ${table.wide}`}>
                  {user.last_active_at ? <When at={user.last_active_at} /> : '–'}
                </td>
                <td className={table.right}>
                  <MemberActions user={user} isMe={user.id === me?.id} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
