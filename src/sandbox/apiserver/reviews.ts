import { answerJson } from "./answers.ts";
import { readObject } from "./body.ts";
import { apiVersionOf } from "../../api/mod.ts";
import type { Exchange } from "./exchange.ts";
import type { User } from "./environment.ts";
import { ISSUER } from "./subresources/token.ts";
import { decodeAs } from "./writes/decode.ts";

/** Kinds that are questions: a create is answered and nothing is stored. */
const ANSWERS: Readonly<Record<string, (spec: Record<string, unknown>, exchange: Exchange) => object>> = {
  TokenReview: reviewToken,
  SelfSubjectReview: (_spec, { user }) => ({ userInfo: userInfo(user) }),
  // Everything is allowed: this server does not authorize.
  SubjectAccessReview: () => ({ allowed: true }),
  LocalSubjectAccessReview: () => ({ allowed: true }),
  SelfSubjectAccessReview: () => ({ allowed: true }),
  SelfSubjectRulesReview: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  }),
};

/** Whether objects of this kind are answered instead of stored. */
export function isReview(kind: string): boolean {
  return kind in ANSWERS;
}

export async function handleReview(exchange: Exchange): Promise<Response> {
  const { route: { served }, request, form } = exchange;
  const body = await readObject(request);
  const object = served.struct ? decodeAs(body, served.struct) : body;
  const status = ANSWERS[served.kind]((object.spec ?? {}) as Record<string, unknown>, exchange);
  const answer = { kind: served.kind, apiVersion: apiVersionOf(served), ...object, status };
  return answerJson(answer, { status: 201, yaml: form.yaml });
}

function reviewToken({ token, audiences }: Record<string, unknown>, { identities, state }: Exchange): object {
  const issued = typeof token === "string" ? identities.check(state, token) : undefined;
  const wanted = Array.isArray(audiences) && audiences.length > 0 ? audiences : [ISSUER];
  const shared = issued?.audiences.filter((audience) => wanted.includes(audience)) ?? [];
  if (!issued || shared.length === 0) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(issued.user), audiences: shared };
}

function userInfo({ username, uid, groups, extra }: User): object {
  return { username, ...uid ? { uid } : {}, groups, ...extra ? { extra } : {} };
}
