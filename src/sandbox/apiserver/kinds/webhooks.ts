import type {
  AdmissionregistrationV1ServiceReference as ServiceReference,
  AdmissionregistrationV1WebhookClientConfig as ClientConfig,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
} from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { Traits } from "../traits/mod.ts";
import {
  all,
  type Check,
  dns1035Label,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  oneOf,
  portNumber,
  repetitions,
  required,
  unique,
  validateQualifiedDomain,
  valuesOf,
} from "../validation/mod.ts";

const CONDITIONS_IGNORED =
  "matchConditions are stored, but this server does not evaluate them: webhooks are called as if they were met";
const SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const SHORTEST_SECONDS = 1;
const LONGEST_SECONDS = 30;

/** A list in which `*` must be the only item. */
const exclusive = (what: string): Check<readonly string[]> => (values, at, errors) => {
  if (values.length > 1 && values.includes("*")) {
    errors.invalid(at, values, `if '*' is present, must not specify other ${what}`);
  }
};

/** Upstream: validateResources. */
function validateResources(resources: readonly string[], at: string, errors: FieldErrors): void {
  const [wholly, everywhere] = [new Set<string>(), new Set<string>()];
  let namesPlain = false;
  for (const [i, resource] of resources.entries()) {
    const where = `${at}[${i}]`;
    if (resource === "") {
      errors.required(where);
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      namesPlain = resource !== "*";
      continue;
    }
    const [name, part] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (wholly.has(name)) errors.invalid(where, resource, `if '${name}/*' is present, must not specify ${resource}`);
    if (everywhere.has(part)) {
      errors.invalid(where, resource, `if '*/${part}' is present, must not specify ${resource}`);
    }
    if (part === "*") wholly.add(name);
    if (name === "*") everywhere.add(part);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.invalid(at, resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes("*") && namesPlain) {
    errors.invalid(at, resources, "if '*' is present, must not specify other resources without subresources");
  }
}

const RULE = "admissionregistration.v1.RuleWithOperations";

/** Upstream: validateRuleWithOperations. */
export const validateRule = fields<RuleWithOperations>({
  operations: required(all(exclusive("operations"), each(valuesOf(RULE, "operations")))),
  scope: "one",
  apiGroups: required(exclusive("API groups")),
  apiVersions: required(all(
    exclusive("API versions"),
    each((version, at, errors) => {
      if (version === "") errors.required(at);
    }),
  )),
  resources: required(validateResources),
}, RULE);

const validateTimeout: Check<number> = (seconds, at, errors) => {
  if (seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS) return;
  errors.invalid(at, seconds, `the timeout value must be between ${SHORTEST_SECONDS} and ${LONGEST_SECONDS} seconds`);
};

/** An https URL without user, query and fragment. */
const HOOK_URL = /^https:\/\/[^/?#@]+(?:\/[^?#]*)?\??#?$/i;

/** Upstream: `apiserver/pkg/util/webhook/validation.go` (ValidateWebhookURL). */
const validateUrl: Check<string> = (url, at, errors) => {
  if (!HOOK_URL.test(url)) errors.invalid(at, url, "must be https://host[/path], without user, query or fragment");
};

/**
 * Upstream: `apiserver/pkg/util/webhook/validation.go` (ValidateWebhookService), which is passed name and namespace in
 * the wrong order.
 */
const validateService: Check<ServiceReference> = (service, at, errors) => {
  const { name = "", namespace = "", path = "", port = 443 } = service;
  if (namespace === "") errors.required(`${at}.name`);
  if (name === "") errors.required(`${at}.namespace`);
  const problems = portNumber(port);
  if (problems.length > 0) errors.invalid(`${at}.port`, port, `port is not valid: ${problems.join(", ")}`);
  if (path === "" || path === "/") return;
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  if (path.startsWith("/") && segments.every((segment) => dnsSubdomain(segment).length === 0)) return;
  errors.invalid(`${at}.path`, path, "must be '/' or start with it, and have segments that are DNS subdomains");
};

const validateClientConfig: Check<ClientConfig> = ({ url, service }, at, errors) => {
  if ((url === undefined) === (service === undefined)) errors.required(at, "exactly one of url or service is required");
  else if (url !== undefined) validateUrl(url, `${at}.url`, errors);
  else if (service) validateService(service, `${at}.service`, errors);
};

/** Upstream: validateAdmissionReviewVersions. */
function validateVersions(versions: readonly string[], at: string, errors: FieldErrors): void {
  const repeated = repetitions(versions);
  for (const [i, version] of versions.entries()) {
    if (repeated.has(i)) errors.invalid(`${at}[${i}]`, version, "duplicate version");
    else errors.invalidFor(`${at}[${i}]`, version, dns1035Label(version));
  }
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return;
  errors.invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
}

/** Upstream: validateMutatingWebhook, validateValidatingWebhook. */
const validateWebhook = fields<MutatingWebhook>({
  name: required(validateQualifiedDomain),
  rules: each(validateRule),
  failurePolicy: "one",
  matchPolicy: "one",
  sideEffects: required(oneOf(...SIDE_EFFECTS), `must specify one of ${SIDE_EFFECTS.join(", ")}`),
  timeoutSeconds: validateTimeout,
  namespaceSelector: "selector",
  objectSelector: "selector",
  reinvocationPolicy: "one",
  clientConfig: validateClientConfig,
  admissionReviewVersions: required(validateVersions, `must specify one of ${REVIEW_VERSIONS.join(", ")}`),
}, "admissionregistration.v1.MutatingWebhook");

type Configuration = ValidatingWebhookConfiguration & MutatingWebhookConfiguration;

function fillIn({ webhooks }: Configuration): void {
  for (const webhook of webhooks ?? []) {
    webhook.failurePolicy ??= "Fail";
    webhook.matchPolicy ??= "Equivalent";
    webhook.namespaceSelector ??= {};
    webhook.objectSelector ??= {};
    webhook.timeoutSeconds ??= 10;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
    if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  }
}

/** Upstream: `pkg/apis/admissionregistration/validation`. */
export const validatingWebhooks: Traits<Configuration> = {
  needsResourceVersion: true,
  generation: ({ webhooks }) => webhooks,
  defaults: fillIn,
  validate({ webhooks = [] }, errors) {
    each(validateWebhook)(webhooks, "webhooks", errors);
    unique(webhooks, "webhooks", errors, ({ name }) => name, ".name");
  },
  warnings({ webhooks = [] }, old) {
    const hasConditions = webhooks.some(({ matchConditions = [] }) => matchConditions.length > 0);
    return hasConditions && !deepEqual(webhooks, old?.webhooks) ? [CONDITIONS_IGNORED] : [];
  },
};

export const mutatingWebhooks: Traits<Configuration> = {
  ...validatingWebhooks,
  defaults(configuration) {
    fillIn(configuration);
    for (const webhook of configuration.webhooks ?? []) webhook.reinvocationPolicy ??= "Never";
  },
};
