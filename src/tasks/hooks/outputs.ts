/** What `hooks health` prints. */
import { listHooks } from '../../api/hooks.ts';
import { type Endpoint, returnedFields, wholeListOf } from '../../spec/endpoint.ts';
import { bool, datetime, int, pick, text } from '../../spec/field.ts';

export const healthRows: Endpoint = {
  ...listHooks,
  noun: 'webhook',
  returns: wholeListOf({
    ...pick(returnedFields(listHooks), 'id', 'url', 'alert_status', 'disabled_until'),
    last_success: datetime('Time of the last delivery that the receiver accepted, as far as the log shows', {
      nullable: true,
    }),
    events: int('Attempts in the log of the last seven days'),
    failures: int('Attempts without a response with status 2xx'),
    not_delivered: int('Events that no attempt delivered'),
    broken: bool('Disabled, or its latest attempt failed'),
    repair: text('Command that resends what was not delivered', { nullable: true }),
  }),
  columns: [
    ...['id', 'broken', { path: 'alert_status', label: 'STATUS' }, 'last_success', 'events', 'failures'],
    ...[{ path: 'not_delivered', label: 'LOST' }, 'url', 'repair'],
  ],
};
