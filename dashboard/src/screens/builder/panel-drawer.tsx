/** A panel where there is no room for it beside the view: a drawer from below. */
import { t } from '@lingui/core/macro';
import { Drawer, type DrawerProps } from '@mantine/core';
import { useIsTopmost } from '../../ui/topmost.ts';

type Props = Pick<DrawerProps, 'opened' | 'onClose' | 'returnFocus' | 'children'> & {
  label: string;
};

export function PanelDrawer({ label, ...props }: Props) {
  const isTopmost = useIsTopmost(props.opened);
  return (
    <Drawer
      {...props}
      title={label}
      position="bottom"
      size="80%"
      // A dialog above it closes first.
      closeOnEscape={isTopmost}
      attributes={{ header: { role: 'presentation' } }}
      closeButtonProps={{ 'aria-label': t`Close` }}
    />
  );
}
