/** What happened, told in the corner of every screen; loaded beside the page. */
import { Notifications } from '@mantine/notifications';

export const Notices = () => <Notifications position="bottom-right" limit={4} />;
