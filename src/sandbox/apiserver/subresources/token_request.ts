import { type AuthenticationV1TokenRequest as TokenRequest, formatTime, parseApiVersion } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerJson } from "../requests/mod.ts";
import { badRequest, conflict, invalid, notFound, readBody, type Subject } from "../base/mod.ts";
import { decodeBody } from "../decoding/mod.ts";
import { answerOptions, type Exchange, operationOf, storedObject } from "../exchange/mod.ts";
import { structOf } from "../schema/mod.ts";
import { askAboutPosted } from "../webhooks/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { type AccountClaims, ISSUER } from "../authentication/mod.ts";

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

/** Issues a token for a service account. Upstream: `pkg/registry/core/serviceaccount/storage/token.go`. */
export async function handleToken(exchange: Exchange): Promise<Response> {
  const { state, request, authenticator, route } = exchange;
  // Normalised to the struct, it has the shape of the type.
  const operation = operationOf(exchange);
  const sent = decodeBody(await readBody(request), TARGET, operation) as unknown as TokenRequest;
  const { name: accountName, subresource } = route;
  const body = await askAboutPosted(operation, { subresource, name: accountName, body: sent, target: TARGET });
  const account = checkedAccount(exchange, body);
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
function checkedAccount(exchange: Exchange, { metadata = {} }: TokenRequest): StoredObject {
  const { name, namespace } = exchange.route;
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
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

type ObjectReference = NonNullable<TokenRequest["spec"]>["boundObjectRef"];

/** The claims for the object that a token is bound to. */
function boundTo({ state: { store }, route }: Exchange, reference: ObjectReference): Bound {
  if (!reference) return {};
  const { kind = "", name = "", uid, apiVersion = "" } = reference;
  const { group, version } = parseApiVersion(apiVersion);
  const find = (plural: string, key: string): StoredObject => {
    const found = store.get(plural, key);
    if (!found) throw notFound({ group: "", plural, kind }, name);
    return found;
  };
  const claim = ({ metadata }: StoredObject) => ({ name, uid: metadata.uid });
  const same = (object: StoredObject): StoredObject => {
    if (!uid || uid === object.metadata.uid) return object;
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated";
    throw conflict({ group, plural: kind, kind }, name, why);
  };
  switch (group === "" ? kind : "") {
    case "Pod":
      return podClaims(
        same(podOf(find("pods", `${route.namespace}/${name}`), route.name)),
        (node) => store.get("nodes", node),
      );
    case "Node":
      return { node: claim(same(find("nodes", name))) };
    case "Secret":
      return { secret: claim(same(find("secrets", `${route.namespace}/${name}`))) };
  }
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
}

type PodLike = StoredObject & { readonly spec?: { readonly serviceAccountName?: string; readonly nodeName?: string } };

function podOf(pod: PodLike, account: string): PodLike {
  if (pod.spec?.serviceAccountName === account) return pod;
  throw badRequest(
    `cannot bind token for serviceaccount ${
      JSON.stringify(account)
    } to pod running with different serviceaccount name.`,
  );
}

/** A pod's token also names its node, as far as known. */
function podClaims({ metadata, spec }: PodLike, nodeNamed: (name: string) => StoredObject | undefined): Bound {
  const pod = { name: metadata.name!, uid: metadata.uid };
  if (!spec?.nodeName) return { pod };
  const uid = nodeNamed(spec.nodeName)?.metadata.uid;
  return { node: { name: spec.nodeName, ...uid && { uid } }, pod };
}
