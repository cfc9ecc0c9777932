import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { listDeliveries, redeliver, testNotice } from './deliveries/deliveries.ts';
import {
  changeNotice,
  changeNoticeSecret,
  createNotice,
  deleteNotice,
  getNotice,
  listNotices,
} from './notices.ts';
import {
  CreatedNotice,
  NewNotice,
  NewNoticeSecret,
  Notice,
  NoticeChanges,
  NoticeDelivery,
  RotatedNoticeSecret,
} from './schema.ts';

const tags = ['Notices'];
const params = Type.Object({ id: Type.Integer() });
const deliveryParams = Type.Object({ id: Type.Integer(), delivery_id: Type.Integer() });

export const noticeRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, keys } = services;

    app.get(
      '/workflows/notices/',
      {
        schema: {
          operationId: 'listNotices',
          summary: 'What is called or sent when runs end',
          tags,
          querystring: Type.Object({ ...PagingQuery, workflow_id: Type.Optional(Type.Integer()) }),
          response: { 200: Type.Array(Notice) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listNotices(db, request.caller, request.query.workflow_id, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflows/notices/',
      {
        schema: {
          operationId: 'createNotice',
          summary: 'Call a URL when runs end, or send me a mail',
          description:
            'A message is posted for each run that ends so from now on, signed as Standard Webhooks, and tried again for three days if need be. With `by_mail` it is a mail to my address instead, where the installation can send some (409 `mail_not_set_up`; `gets_mail` of `GET /me` tells). 409 `too_many_notices`: a tenant has a hundred at most.',
          tags,
          body: NewNotice,
          response: { 201: CreatedNotice },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          createNotice(tx, services, request.caller, request.body),
        ),
    );

    app.get(
      '/workflows/notices/:id',
      {
        schema: {
          operationId: 'getNotice',
          summary: 'One notice',
          tags,
          params,
          response: { 200: Notice },
        },
      },
      (request) => getNotice(db, request.caller, request.params.id),
    );

    app.patch(
      '/workflows/notices/:id',
      {
        schema: {
          operationId: 'changeNotice',
          summary: 'Change a notice, or turn it on or off',
          description:
            'By who made it, and admins. What waits goes to a changed URL; turned on again, a notice continues with what waits.',
          tags,
          params,
          body: NoticeChanges,
          response: { 200: Notice },
        },
      },
      (request) => changeNotice(db, services, request.caller, request.params.id, request.body),
    );

    app.delete(
      '/workflows/notices/:id',
      {
        schema: {
          operationId: 'deleteNotice',
          summary: 'Delete a notice with all its deliveries',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteNotice(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/workflows/notices/:id/rotate-secret',
      {
        schema: {
          operationId: 'rotateNoticeSecret',
          summary: 'A new secret for the receiver',
          description:
            'For the overlap, messages are signed with both. There are two at most: one that was being replaced already ends at once. 409 `notice_by_mail`: mails are not signed.',
          tags,
          params,
          body: NewNoticeSecret,
          response: { 200: RotatedNoticeSecret },
        },
      },
      (request, reply) =>
        once(services, request, reply, 200, (tx) =>
          changeNoticeSecret(tx, keys, request.caller, request.params.id, request.body),
        ),
    );

    app.post(
      '/workflows/notices/:id/test',
      {
        schema: {
          operationId: 'testNotice',
          summary: 'Send a message of type `test`',
          description:
            'It is tried once; its delivery tells what came of it. 409 `notice_disabled` while the notice is off.',
          tags,
          params,
          response: { 202: NoticeDelivery },
        },
      },
      (request, reply) =>
        once(services, request, reply, 202, (tx) =>
          testNotice(tx, request.caller, request.params.id),
        ),
    );

    app.get(
      '/workflows/notices/:id/deliveries',
      {
        schema: {
          operationId: 'listNoticeDeliveries',
          summary: 'What was sent, newest first',
          description:
            'For those who may change the notice. Kept for 30 days. What receivers answer is not kept, but its status.',
          tags,
          params,
          querystring: Type.Object({
            ...PagingQuery,
            state: Type.Optional(NoticeDelivery.properties.state),
          }),
          response: { 200: Type.Array(NoticeDelivery) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) =>
            listDeliveries(db, request.caller, request.params.id, request.query.state, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflows/notices/:id/deliveries/:delivery_id/redeliver',
      {
        schema: {
          operationId: 'redeliverNotice',
          summary: 'Send a message once more',
          description:
            'Whatever became of it, now and under the same `webhook-id`. 409 `notice_disabled` while the notice is off.',
          tags,
          params: deliveryParams,
          response: { 202: NoticeDelivery },
        },
      },
      (request, reply) =>
        once(services, request, reply, 202, (tx) =>
          redeliver(tx, request.caller, request.params.id, request.params.delivery_id),
        ),
    );
  };
