import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  type Check,
  each,
  type FieldErrors,
  fields,
  networkOf,
  parseRange,
  portName,
  validateRange,
  validPort,
  valuesOf,
} from "../../validation/mod.ts";
import { rangeWarnings } from "../shared/mod.ts";

const protocols = valuesOf("networking.v1.NetworkPolicyPort", "protocol");
const policyTypes = each(valuesOf("networking.v1.NetworkPolicySpec", "policyTypes"));

type Spec = NonNullable<NetworkPolicy["spec"]>;
type Block = NonNullable<NetworkPolicyPeer["ipBlock"]>;

const validatePort: Check<NetworkPolicyPort> = ({ protocol, port, endPort }, at, errors) => {
  if (protocol !== undefined) protocols(protocol, `${at}.protocol`, errors);
  const end = `${at}.endPort`;
  if (typeof port === "number") {
    validPort(port, `${at}.port`, errors);
    if (endPort === undefined) return;
    if (endPort < port) errors.invalid(end, port, "must be greater than or equal to `port`");
    return validPort(endPort, end, errors);
  }
  if (endPort !== undefined) {
    const why = port === undefined ? "not specified" : "non-numeric";
    errors.invalid(end, endPort, `may not be specified when \`port\` is ${why}`);
  }
  if (port !== undefined) errors.invalidFor(`${at}.port`, port, portName(port));
};

/** Whether `inner` is a proper subset of `outer`. */
function isPart(inner: string, outer: string): boolean {
  const [part, whole] = [parseRange(inner), parseRange(outer)];
  if (!part || !whole || part.family !== whole.family || whole.bits >= part.bits) return false;
  return networkOf({ ...part, bits: whole.bits }).value === networkOf(whole).value;
}

function validateBlock({ cidr = "", except = [] }: Block, at: string, errors: FieldErrors, known: readonly string[]) {
  if (!cidr) return errors.required(`${at}.cidr`);
  validateRange(cidr, `${at}.cidr`, errors, known);
  if (!parseRange(cidr)) return;
  for (const [i, range] of except.entries()) {
    const path = `${at}.except[${i}]`;
    validateRange(range, path, errors, known);
    if (parseRange(range) && !isPart(range, cidr)) errors.invalid(path, range, "must be a strict subset of `cidr`");
  }
}

function validatePeer(known: readonly string[]): Check<NetworkPolicyPeer> {
  const parts = fields<NetworkPolicyPeer>({
    podSelector: "selector",
    namespaceSelector: "selector",
    ipBlock: (block, at, errors) => validateBlock(block, at, errors, known),
  });
  return (peer, at, errors) => {
    parts(peer, at, errors);
    const { podSelector, namespaceSelector, ipBlock } = peer;
    const selects = podSelector || namespaceSelector;
    if (!selects && !ipBlock) errors.required(at, "must specify a peer");
    else if (selects && ipBlock) errors.forbidden(at, "may not specify both ipBlock and another peer");
  };
}

/** Every peer of a policy with its path. */
function peersOf({ ingress = [], egress = [] }: Spec): { readonly peer: NetworkPolicyPeer; readonly at: string }[] {
  return [
    ...ingress.flatMap(({ from = [] }, i) => from.map((peer, j) => ({ peer, at: `spec.ingress[${i}].from[${j}]` }))),
    ...egress.flatMap(({ to = [] }, i) => to.map((peer, j) => ({ peer, at: `spec.egress[${i}].to[${j}]` }))),
  ];
}

function blocksOf(spec: Spec | undefined): { readonly block: Block; readonly at: string }[] {
  return peersOf(spec ?? {}).flatMap(({ peer: { ipBlock }, at }) => ipBlock ? [{ block: ipBlock, at }] : []);
}

function validatePolicySpec(spec: Spec, known: readonly string[], errors: FieldErrors): void {
  const peers = each(validatePeer(known));
  const ports = each(validatePort);
  fields<Spec>({
    podSelector: "selector",
    ingress: each(fields<NonNullable<Spec["ingress"]>[number]>({ ports, from: peers })),
    egress: each(fields<NonNullable<Spec["egress"]>[number]>({ ports, to: peers })),
  })(spec, "spec", errors);
  const types = spec.policyTypes ?? [];
  if (types.length > 2) errors.invalid("spec.policyTypes", types, "may not be more than two");
  else policyTypes(types, "spec.policyTypes", errors);
}

export const networkPolicies: Traits<NetworkPolicy> = {
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    for (const rule of [...spec.ingress ?? [], ...spec.egress ?? []]) {
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    }
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  validate({ spec }, errors, old) {
    const known = blocksOf(old?.spec).flatMap(({ block: { cidr, except = [] } }) => [cidr, ...except]);
    validatePolicySpec(spec ?? {}, known, errors);
  },
  warnings: ({ spec }) =>
    blocksOf(spec).flatMap(({ block: { cidr, except = [] }, at }) => [
      ...rangeWarnings(cidr, `${at}.ipBlock.cidr`),
      ...except.flatMap((range, i) => rangeWarnings(range, `${at}.ipBlock.except[${i}]`)),
    ]),
};
