import type { Event } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Stored, Traits } from "../../traits/mod.ts";
import { byteLength, dnsSubdomain, type FieldErrors, qualifiedName, unchanged } from "../../validation/mod.ts";

function validateLength(value: string, at: string, errors: FieldErrors, longestBytes: number): void {
  if (byteLength(value) > longestBytes) errors.invalid(at, "", `can have at most ${longestBytes} characters`);
}

/** Rules for events of both groups; `reporter` is the group's name for the reporting controller's field. */
function validateEvent(event: Stored<Event>, errors: FieldErrors, reporter: string): void {
  const { metadata, eventTime, reportingComponent = "", reportingInstance = "", action = "", reason = "" } = event;
  const named = event.involvedObject?.namespace ?? "";
  const namespace = metadata.namespace ?? "";
  const shared = eventTime ? ["default", "kube-system"] : ["default"];
  // An event of the current form can be in any namespace if its object has one; an older one must be in its object's.
  const fits = named === "" ? shared.includes(namespace) : Boolean(eventTime) || named === namespace;
  if (!fits) errors.invalid("involvedObject.namespace", named, "does not match event.namespace");
  if (eventTime) {
    if (!reportingComponent) errors.required(reporter);
    errors.invalidFor(reporter, reportingComponent, qualifiedName(reportingComponent));
    for (const [field, value] of Object.entries({ reportingInstance, action, reason })) {
      if (!value) errors.required(field);
      validateLength(value, field, errors, 128);
    }
    validateLength(event.message ?? "", "message", errors, 1024);
  }
  errors.invalidFor("namespace", namespace, dnsSubdomain(namespace));
}

/** Events have no generation, and no finalizers because of a propagation policy. */
export const events: Traits<Event> = {
  names: "path",
  hasPlainMetadata: true,
  createsOnUpdate: true,
  ignoresPropagation: true,
  validate: (event, errors) => validateEvent(event, errors, "reportingComponent"),
};

function validateSeries({ series }: Event, errors: FieldErrors): void {
  if (!series) return;
  if ((series.count ?? 0) < 2) errors.invalid("series.count", "", "should be at least 2");
  if (!series.lastObservedTime) errors.required("series.lastObservedTime");
}

/** Fields that cannot change through the newer group. */
const KEPT = [
  ..."involvedObject reason message source firstTimestamp lastTimestamp count type eventTime action related".split(" "),
  ..."reportingComponent reportingInstance".split(" "),
] as (keyof Event)[];

/** Events of `events.k8s.io`, which have additional rules. Upstream: `pkg/apis/core/validation/events.go`. */
export const structuredEvents: Traits<Event> = {
  createsOnUpdate: true,
  ignoresPropagation: true,
  validate: (event, errors) => validateEvent(event, errors, "reportingController"),
  validateCreate(event, errors) {
    validateSeries(event, errors);
    const { type = "", eventTime, firstTimestamp, lastTimestamp, count, source } = event;
    if (!eventTime) errors.required("eventTime");
    if (type !== "Normal" && type !== "Warning") errors.invalid("type", "", `has invalid value: ${type}`);
    // Fields of the older group.
    const unset = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
    for (const [field, value] of Object.entries(unset)) if (value) errors.invalid(field, "", "needs to be unset");
  },
  validateUpdate(event, old, errors) {
    if (!deepEqual(event.series, old.series)) validateSeries(event, errors);
    for (const field of KEPT) {
      const name = field === "reportingComponent" ? "reportingController" : field;
      unchanged(event[field] ?? null, old[field] ?? null, name, errors);
    }
  },
};
