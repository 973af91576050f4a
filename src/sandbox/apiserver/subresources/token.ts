import { type AuthenticationV1TokenRequest as TokenRequest, formatTime } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerJson } from "../answers.ts";
import { readObject } from "../body.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import { type Exchange, operationOf } from "../exchange.ts";
import { storedObject } from "../handlers/read.ts";
import type { IssuedToken } from "../identity.ts";
import { structOf } from "../schema/types.ts";
import { FieldErrors } from "../validation/field_errors.ts";
import { decodeAs } from "../writes/decode.ts";

const TOKEN_REQUEST = structOf("authentication.v1.TokenRequest")!;
/** Who issues tokens, and for whom when the request does not say. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";
const SHORTEST_SECONDS = 600;
const DEFAULT_SECONDS = 3600;

const BINDABLE: Readonly<Record<string, { readonly collection: string; readonly claim: string }>> = {
  Pod: { collection: "pods", claim: "pod" },
  Secret: { collection: "secrets", claim: "secret" },
  Node: { collection: "nodes", claim: "node" },
};

/** Issues a token for a service account. Upstream: `pkg/registry/core/serviceaccount/storage/token.go`. */
export async function handleToken(exchange: Exchange): Promise<Response> {
  const { state, request, identities, route, form } = exchange;
  // Normalised to the struct, it has the shape of the type.
  const body = decodeAs(await readObject(request), TOKEN_REQUEST) as unknown as TokenRequest;
  const { dryRun } = operationOf(exchange);
  const account = storedObject(exchange);
  const seconds = body.spec?.expirationSeconds ?? DEFAULT_SECONDS;
  if (seconds < SHORTEST_SECONDS) {
    const errors = new FieldErrors();
    errors.invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
    throw invalid(
      { group: "authentication.k8s.io", plural: "tokenrequests", kind: "TokenRequest" },
      "",
      errors.causes,
    );
  }
  const audiences = body.spec?.audiences?.length ? body.spec.audiences : [ISSUER];
  const bound = boundObject(exchange, body);
  const nowMs = state.world.clock.wallMs();
  const claims = {
    aud: audiences,
    exp: Math.floor(nowMs / 1000) + seconds,
    iat: Math.floor(nowMs / 1000),
    iss: ISSUER,
    jti: state.world.random.uuid(),
    "kubernetes.io": {
      namespace: route.namespace,
      serviceaccount: { name: route.name, uid: account.metadata.uid },
      ...bound ? { [bound.claim]: { name: bound.object.metadata.name, uid: bound.object.metadata.uid } } : {},
    },
    nbf: Math.floor(nowMs / 1000),
    sub: `system:serviceaccount:${route.namespace}:${route.name}`,
  };
  const token = await identities.sign(claims);
  if (!dryRun) {
    identities.issue(token, issuedToken(exchange, account, bound, { audiences, expiresAtMs: nowMs + seconds * 1000 }));
  }
  const { name, namespace } = account.metadata;
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, creationTimestamp: formatTime(nowMs) },
    spec: { ...body.spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: formatTime(nowMs + seconds * 1000) },
  };
  return answerJson(answer, { status: 201, yaml: form.yaml });
}

interface Bound {
  readonly claim: string;
  readonly collection: string;
  readonly key: string;
  readonly object: StoredObject;
}

function boundObject({ state, route }: Exchange, { spec }: TokenRequest): Bound | undefined {
  const reference = spec?.boundObjectRef;
  if (!reference) return undefined;
  const { kind = "", name = "", uid } = reference;
  const bindable = BINDABLE[kind];
  if (!bindable) {
    const errors = new FieldErrors();
    errors.notSupported("spec.boundObjectRef.kind", kind, Object.keys(BINDABLE));
    throw invalid(
      { group: "authentication.k8s.io", plural: "tokenrequests", kind: "TokenRequest" },
      "",
      errors.causes,
    );
  }
  const { collection, claim } = bindable;
  const key = kind === "Node" ? name : `${route.namespace}/${name}`;
  const object = state.store.get(collection, key);
  const subject = { group: "", plural: collection, kind };
  if (!object) throw notFound(subject, name);
  if (uid && uid !== object.metadata.uid) {
    throw conflict(
      subject,
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
        "The object might have been deleted and then recreated",
    );
  }
  return { claim, collection, key, object };
}

function issuedToken(
  { route }: Exchange,
  account: StoredObject,
  bound: Bound | undefined,
  rest: Pick<IssuedToken, "audiences" | "expiresAtMs">,
): IssuedToken {
  const { namespace, name } = route;
  const holders = [{ collection: "serviceaccounts", key: `${namespace}/${name}`, uid: account.metadata.uid! }];
  if (bound) holders.push({ collection: bound.collection, key: bound.key, uid: bound.object.metadata.uid! });
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  const user = { username: `system:serviceaccount:${namespace}:${name}`, uid: account.metadata.uid!, groups };
  return { ...rest, user, bound: holders };
}
