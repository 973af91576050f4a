import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "../../../../api/mod.ts";
import { contains, parsePrefix } from "../../../../ip/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  type Check,
  each,
  type FieldErrors,
  fields,
  validateRange,
  validPort,
  valuesOf,
} from "../../validation/mod.ts";

const policyTypes = each(valuesOf("networking.v1.NetworkPolicySpec", "policyTypes"));
const portFields = fields<NetworkPolicyPort>(
  { protocol: "one", port: "portOrName" },
  "networking.v1.NetworkPolicyPort",
);

type Spec = NonNullable<NetworkPolicy["spec"]>;
type Block = NonNullable<NetworkPolicyPeer["ipBlock"]>;

const validatePort: Check<NetworkPolicyPort> = (one, at, errors) => {
  portFields(one, at, errors);
  const { port, endPort } = one;
  if (endPort === undefined) return;
  const end = `${at}.endPort`;
  if (typeof port !== "number") return errors.invalid(end, endPort, "needs a `port` that is a number");
  if (endPort < port) errors.invalid(end, port, "must be greater than or equal to `port`");
  validPort(endPort, end, errors);
};

function validateBlock({ cidr = "", except = [] }: Block, at: string, errors: FieldErrors, known: readonly string[]) {
  if (!cidr) return errors.required(`${at}.cidr`);
  validateRange(cidr, `${at}.cidr`, errors, known);
  const whole = parsePrefix(cidr);
  for (const [i, range] of except.entries()) {
    const path = `${at}.except[${i}]`;
    validateRange(range, path, errors, known);
    const part = parsePrefix(range);
    const isInside = !whole || !part || (contains(whole, part) && whole.length < part.length);
    if (!isInside) errors.invalid(path, range, "must be a strict subset of `cidr`");
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

/** The ranges that a policy has already. */
function rangesOf({ ingress = [], egress = [] }: Spec): string[] {
  const peers = [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)];
  return peers.flatMap(({ ipBlock }) => ipBlock ? [ipBlock.cidr, ...ipBlock.except ?? []] : []);
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
  defaults({ spec = {} }) {
    for (const rule of [...spec.ingress ?? [], ...spec.egress ?? []]) {
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    }
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  validate({ spec }, errors, old) {
    validatePolicySpec(spec ?? {}, rangesOf(old?.spec ?? {}), errors);
  },
};
