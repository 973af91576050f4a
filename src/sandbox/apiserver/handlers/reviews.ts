import { apiVersionOf } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerJson } from "../requests/mod.ts";
import { recordCreate } from "../apply/mod.ts";
import { userInfo } from "../access/mod.ts";
import {
  type AccessReview,
  type Asking,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSubjectAccess,
} from "../authorization/mod.ts";
import { readBody } from "../base/mod.ts";
import { nowText } from "../traits/mod.ts";
import { answerOptions, type Exchange, operationOf } from "../exchange/mod.ts";
import { askAboutPosted } from "../webhooks/mod.ts";
import { checkNamespace } from "../writes/mod.ts";
import { decodeRequest } from "../operations/mod.ts";

const access =
  (answer: (review: AccessReview, asking: Asking) => object) => (review: StoredObject, exchange: Exchange) => {
    const { state, route: { namespace }, user } = exchange;
    return { ...review, status: answer(review, { authorizer: state, namespace, user }) };
  };

/** Kinds that are answered on create and never stored, and the fields of the answers. */
const ANSWERS: Readonly<Record<string, (review: StoredObject, exchange: Exchange) => object | Promise<object>>> = {
  TokenReview: async (review, { authenticator }) => ({
    ...review,
    status: await authenticator.review(review.spec as { token: string }),
  }),
  SelfSubjectReview: (_review, { state, user }) => ({
    metadata: { creationTimestamp: nowText(state) },
    status: { userInfo: userInfo(user) },
  }),
  SubjectAccessReview: access(reviewSubjectAccess),
  LocalSubjectAccessReview: access(reviewLocalAccess),
  SelfSubjectAccessReview: access(reviewOwnAccess),
  SelfSubjectRulesReview: (review, exchange) => ({
    metadata: {},
    spec: {},
    status: access(reviewOwnRules)(review, exchange).status,
  }),
};

/** Whether objects of this kind are answered instead of stored. */
export function isReview(kind: string): boolean {
  return kind in ANSWERS;
}

export async function handleReview(exchange: Exchange): Promise<Response> {
  const { route: { served }, request } = exchange;
  const operation = operationOf(exchange);
  const review = decodeRequest(operation, await readBody(request));
  delete review.status;
  checkNamespace(operation, review);
  if (served.namespaced) review.metadata.namespace = operation.namespace;
  recordCreate(operation, review);
  const asked = await askAboutPosted(operation, { subresource: "", name: "", body: review, target: served });
  const answer = {
    kind: served.kind,
    apiVersion: apiVersionOf(served),
    ...await ANSWERS[served.kind](asked, exchange),
  };
  return answerJson(answer, answerOptions(exchange, 201));
}
