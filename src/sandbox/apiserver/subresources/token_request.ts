import {
  type AuthenticationV1TokenRequest as TokenRequest,
  type BoundObjectReference,
  formatTime,
  parseApiVersion,
  type Pod,
  type PodSpec,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerJson } from "../requests/mod.ts";
import { badRequest, conflict, invalid, notFound, type Subject } from "../base/mod.ts";
import { answerOptions, type Exchange, storedObject } from "../exchange/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { structOf } from "../schema/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { type AccountClaims, ISSUER } from "../authentication/mod.ts";
import { checkNamespace } from "../writes/mod.ts";
import { readPosted } from "./posted.ts";

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const TARGET = { ...TOKEN_REQUEST, struct: structOf("authentication.v1.TokenRequest") };
const SUBJECT: Subject = { ...TOKEN_REQUEST, plural: "TokenRequest" };
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;
/**
 * The lifetime that kubelets request. Such a token is extended, so that workloads that never reload it keep working.
 */
const PROJECTED_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

type Bound = Pick<AccountClaims, "node" | "pod" | "secret">;

/** The claims for the objects that a token can be bound to, by kind. */
const BINDABLE = new Map<string, keyof Bound>([["Pod", "pod"], ["Node", "node"], ["Secret", "secret"]]);

/** Issues a token for a service account. Upstream: `pkg/registry/core/serviceaccount/storage/token.go`. */
export async function handleToken(exchange: Exchange): Promise<Response> {
  const { state, authenticator, route } = exchange;
  const { operation, posted: body } = await readPosted<TokenRequest>(exchange, TARGET);
  const account = checkedAccount(exchange, operation, body);
  const expirationSeconds = checkedSeconds(body.spec?.expirationSeconds ?? DEFAULT_SECONDS);
  const audiences = body.spec?.audiences?.length ? body.spec.audiences : [ISSUER];
  const bound = boundTo(exchange, body.spec?.boundObjectRef);
  const nowMs = state.world.clock.wallMs();
  const nowSeconds = Math.floor(nowMs / 1000);
  const livesOn = bound.pod !== undefined && expirationSeconds === PROJECTED_SECONDS &&
    audiences.every((one) => one === ISSUER);
  const claims = {
    aud: audiences,
    exp: nowSeconds + (livesOn ? EXTENDED_SECONDS : expirationSeconds),
    iat: nowSeconds,
    iss: ISSUER,
    jti: state.world.random.uuid(),
    "kubernetes.io": {
      namespace: route.namespace,
      ...bound,
      serviceaccount: { name: route.name, uid: account.metadata.uid! },
      ...livesOn ? { warnafter: nowSeconds + expirationSeconds } : {},
    } satisfies AccountClaims,
    nbf: nowSeconds,
    sub: `system:serviceaccount:${route.namespace}:${route.name}`,
  };
  const { name, namespace, uid } = account.metadata;
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, uid, creationTimestamp: formatTime(nowMs) },
    spec: { audiences, expirationSeconds, boundObjectRef: body.spec?.boundObjectRef ?? null },
    status: {
      token: await authenticator.keys.sign(claims),
      expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000),
    },
  };
  return answerJson(answer, answerOptions(exchange, 201));
}

/** The account in the path; the body may name it as well. */
function checkedAccount(exchange: Exchange, operation: Operation, { metadata = {} }: TokenRequest): StoredObject {
  const { name } = exchange.route;
  checkNamespace(operation, { metadata });
  if (metadata.name && metadata.name !== name) {
    const errors = new FieldErrors();
    errors.invalid("metadata.name", metadata.name, "must match the service account name if specified");
    throw invalid(SUBJECT, name, errors.causes);
  }
  const account = storedObject(exchange);
  if (!metadata.uid || metadata.uid === account.metadata.uid) return account;
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account ` +
    `(${account.metadata.uid})`;
  throw conflict(SUBJECT, name, why);
}

function checkedSeconds(seconds: number): number {
  const errors = new FieldErrors();
  const at = "spec.expirationSeconds";
  if (seconds < SHORTEST_SECONDS) errors.invalid(at, seconds, "may not specify a duration less than 10 minutes");
  if (seconds > LONGEST_SECONDS) errors.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds");
  if (errors.causes.length > 0) throw invalid(SUBJECT, "", errors.causes);
  return seconds;
}

/** The claims for the object that a token is bound to. */
function boundTo({ state: { store }, route }: Exchange, reference: BoundObjectReference | undefined): Bound {
  if (!reference) return {};
  const { kind = "", name = "", uid, apiVersion = "" } = reference;
  const { group, version } = parseApiVersion(apiVersion);
  const claim = group === "" ? BINDABLE.get(kind) : undefined;
  if (!claim) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const plural = `${claim}s`;
  const object = store.get(plural, claim === "node" ? name : `${route.namespace}/${name}`);
  if (!object) throw notFound({ group: "", plural, kind }, name);
  const { serviceAccountName, nodeName }: Partial<PodSpec> = claim === "pod" ? (object as Pod).spec ?? {} : {};
  if (claim === "pod" && serviceAccountName !== route.name) {
    const account = JSON.stringify(route.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated";
    throw conflict({ group, plural: kind, kind }, name, why);
  }
  const bound: Bound = { [claim]: { name, uid: object.metadata.uid } };
  if (!nodeName) return bound;
  // A pod's token also names its node, as far as known.
  const nodeUid = store.get("nodes", nodeName)?.metadata.uid;
  return { ...bound, node: { name: nodeName, ...nodeUid && { uid: nodeUid } } };
}
