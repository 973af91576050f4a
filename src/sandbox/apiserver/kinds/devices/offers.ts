/** Devices on offer, and the taints that keep pods off them. */
import type { DeviceClass, DeviceTaint, ResourceSlice, ResourceV1beta2DeviceTaintRule } from "../../../../api/mod.ts";
import { type Environment, nowText, type Stored, type Traits } from "../../traits/mod.ts";
import { atMost, type FieldErrors, fields, validateConditions } from "../../validation/mod.ts";
import { csiDriverName } from "../shared/mod.ts";
import { poolFormat } from "./requests.ts";

type Rule = ResourceV1beta2DeviceTaintRule;

const MOST_CONDITIONS = 8;

/** A taint without a start time starts now. Upstream: SetDefaults_DeviceTaint. */
function beginTaint(taint: DeviceTaint | undefined, state: Pick<Environment, "world">): void {
  if (taint) taint.timeAdded ??= nowText(state);
}

export const deviceClasses: Traits<DeviceClass> = { answersDeleted: true, generation: ({ spec }) => spec };

export const resourceSlices: Traits<ResourceSlice> = {
  answersDeleted: true,
  generation: ({ spec }) => spec,
  defaults({ spec }, _gates, state) {
    for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) beginTaint(taint, state);
  },
};

/** Upstream: validateDeviceTaint. */
const taintNames = fields<DeviceTaint>({ key: "*qualified", value: "labelValue" });
const taintEffect = fields<DeviceTaint>({ effect: "!one" }, "resource.v1.DeviceTaint");

const selector = fields<NonNullable<Rule["spec"]["deviceSelector"]>>({
  driver: csiDriverName,
  pool: (pool, at, errors) => pool ? poolFormat(pool, at, errors) : errors.required(at),
  device: "label",
}, "resource.v1beta2.DeviceTaintSelector");

function validateRule({ spec }: Stored<Rule>, errors: FieldErrors, old?: Stored<Rule>): void {
  if (spec?.deviceSelector) selector(spec.deviceSelector, "spec.deviceSelector", errors);
  const { taint = { key: "", effect: "" } } = spec ?? {};
  taintNames(taint, "spec.taint", errors);
  if (old?.spec.taint.effect !== taint.effect) taintEffect(taint, "spec.taint", errors);
}

/** Upstream: `pkg/registry/resource/devicetaintrule`. */
export const deviceTaintRules: Traits<Rule> = {
  answersDeleted: true,
  generation: ({ spec }) => spec,
  keepsMetadataOnStatus: true,
  defaults: ({ spec }, _gates, state) => beginTaint(spec?.taint, state),
  prepareUpdate({ spec }, old) {
    const before = old.spec.taint;
    // A taint with a new effect starts now, unless the writer set a time.
    if (spec.taint.effect !== before.effect && spec.taint.timeAdded === before.timeAdded) delete spec.taint.timeAdded;
  },
  validate: validateRule,
  validateStatus({ status }, _old, errors) {
    const { conditions = [] } = status ?? {};
    validateConditions(conditions, "status.conditions", errors);
    atMost(conditions, MOST_CONDITIONS, "status.conditions", errors);
  },
};
