/** The people, and for admins what can be done with each. */
import type { User } from '@cogworks/sdk/contract.gen';
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
          <th>Person</th>
          <th className={table.wide}>Role</th>
          <th className={table.wide}>Status</th>
          {isAdmin && (
            <>
              <th className={table.wide}>Last active</th>
              <th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((user) => (
          <tr key={user.id}>
            <td className={classes.person}>
              <PersonLine user={user} after={user.id === me?.id && <Tag tone="accent">You</Tag>} />
              <span className={`${classes.below} ${classes.besideAvatar}`}>
                {roleLabel(user.role)}
                {user.status === 'disabled' && ', disabled'}
              </span>
            </td>
            <td className={`${table.quiet} ${table.wide}`}>{roleLabel(user.role)}</td>
            <td className={`${table.quiet} ${table.wide}`}>
              {user.status === 'disabled' ? <Tag>Disabled</Tag> : 'Active'}
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
