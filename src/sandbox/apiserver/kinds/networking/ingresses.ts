import type { HTTPIngressPath, Ingress, IngressBackend, IngressClass, IngressRule } from "../../../../api/mod.ts";
import { parseAddress } from "../../../../ip/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  byteLength,
  type Check,
  dnsLabel,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  oneOf,
  portName,
  typedReference,
  validateAddress,
  validateDomainPath,
  validPort,
  wildcardSubdomain,
} from "../../validation/mod.ts";

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const NOT_A_NAME = "must be a DNS name, not an IP address";

type Spec = NonNullable<Ingress["spec"]>;

const host: Check<string> = (value, at, errors) =>
  errors.invalidFor(at, value, value.includes("*") ? wildcardSubdomain(value) : dnsSubdomain(value));

const backend: Check<IngressBackend> = ({ resource, service }, at, errors) => {
  if (resource && service) return errors.invalid(at, "", "cannot set both resource and service backends");
  if (resource) return typedReference(resource, `${at}.resource`, errors);
  if (!service) return errors.invalid(at, "", "resource or service backend is required");
  const { name = "", port = {} } = service;
  if (!name) errors.required(`${at}.service.name`);
  else errors.invalidFor(`${at}.service.name`, name, dnsLabel(name));
  if (port.name && port.number) errors.invalid(at, "", "cannot set both port name & port number");
  else if (port.name) errors.invalidFor(`${at}.service.port.name`, port.name, portName(port.name));
  else if (port.number) validPort(port.number, `${at}.service.port.number`, errors);
  else errors.required(at, "port name or number is required");
};

const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const pathTypes = oneOf<string>(...PATH_TYPES);

const validatePath: Check<HTTPIngressPath> = (rule, at, errors) => {
  const { path = "", pathType } = rule;
  if (pathType === undefined) return errors.required(`${at}.pathType`, "pathType must be specified");
  const isPlain = pathType === "Exact" || pathType === "Prefix";
  pathTypes(pathType, `${at}.pathType`, errors);
  const isAbsolute = path.startsWith("/") || (path === "" && pathType === "ImplementationSpecific");
  if (PATH_TYPES.includes(pathType) && !isAbsolute) errors.invalid(`${at}.path`, path, "must be an absolute path");
  const part = /\/\/|\/\.\.?(?=\/|$)|%2f/i.exec(path)?.[0];
  if (isPlain && part) errors.invalid(`${at}.path`, path, `must not contain '${part}'`);
  backend(rule.backend ?? {}, `${at}.backend`, errors);
};

const validateRule: Check<IngressRule> = (rule, at, errors) => {
  if (rule.host) {
    if (parseAddress(rule.host)) errors.invalid(`${at}.host`, rule.host, NOT_A_NAME);
    host(rule.host, `${at}.host`, errors);
  }
  if (!rule.http) return;
  if (!rule.http.paths?.length) errors.required(`${at}.http.paths`);
  each(validatePath)(rule.http.paths ?? [], `${at}.http.paths`, errors);
};

function validateIngressSpec(spec: Spec, errors: FieldErrors): void {
  if (!spec.rules?.length && !spec.defaultBackend) {
    errors.invalid("spec", spec.rules, "either `defaultBackend` or `rules` must be specified");
  }
  fields<Spec>({
    defaultBackend: backend,
    rules: each(validateRule),
    tls: each(fields<NonNullable<Spec["tls"]>[number]>({ hosts: each(host), secretName: "subdomain" })),
    ingressClassName: "subdomain",
  }, "networking.v1.IngressSpec")(spec, "spec", errors);
}

export const ingresses: Traits<Ingress> = {
  generation: ({ spec }) => spec,
  prepareCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate: ({ spec }, errors) => validateIngressSpec(spec ?? {}, errors),
  validateCreate({ metadata, spec }, errors) {
    const named = metadata.annotations?.[CLASS_ANNOTATION];
    if (named === undefined || spec?.ingressClassName === undefined || named === spec.ingressClassName) return;
    errors.invalid(`annotations.${CLASS_ANNOTATION}`, named, "must match `ingressClassName`");
  },
  validateStatus({ status }, old, errors) {
    const known = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ? [ip] : []);
    for (const [i, { ip, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
      const at = `status.loadBalancer.ingress[${i}]`;
      if (ip) validateAddress(ip, `${at}.ip`, errors, known);
      if (!hostname) continue;
      errors.invalidFor(`${at}.hostname`, hostname, dnsSubdomain(hostname));
      if (parseAddress(hostname)) errors.invalid(`${at}.hostname`, hostname, NOT_A_NAME);
    }
  },
  warnings({ metadata, spec }, old) {
    if (old || spec?.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] === undefined) {
      return [];
    }
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

type Parameters = NonNullable<NonNullable<IngressClass["spec"]>["parameters"]>;

const parameters: Check<Parameters> = (value, at, errors) => {
  typedReference(value, at, errors);
  const { scope, namespace } = value;
  if (scope === "Namespace") {
    if (namespace === undefined) errors.required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'");
    else errors.invalidFor(`${at}.namespace`, namespace, dnsLabel(namespace));
  } else if (scope !== "Cluster") errors.notSupported(`${at}.scope`, scope, ["Cluster", "Namespace"]);
  else if (namespace !== undefined) errors.forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'");
};

export const ingressClasses: Traits<IngressClass> = {
  immutable: ["spec.controller"],
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  validate({ spec }, errors) {
    const controller = spec?.controller ?? "";
    if (byteLength(controller) > 250) errors.tooLong("spec.controller", 250);
    validateDomainPath(controller, "spec.controller", errors);
    if (spec?.parameters) parameters(spec.parameters, "spec.parameters", errors);
  },
};
