import { type PersistentVolumeClaimSpec, Quantity } from "../../../../api/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type FieldErrors,
  oneOf,
  quote,
  validateAmount,
  validateLabelSelector,
  validatePositiveAmount,
} from "../../validation/mod.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeMode = oneOf<string>("Block", "Filesystem");

/** How a volume may be used; a volume for a single pod is for nothing else. */
export function validateAccessModes(modes: readonly string[], at: string, errors: FieldErrors): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.notSupported(at, mode, ACCESS_MODES);
  if (!modes.includes("ReadWriteOncePod")) return;
  if (modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode))) {
    errors.forbidden(at, "may not use ReadWriteOncePod with other access modes");
  }
}

interface DataSource {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

function validateDataSource(
  { apiGroup = "", kind = "", name, namespace }: DataSource,
  at: string,
  errors: FieldErrors,
  toleratesGroup: boolean,
): void {
  if (!name) errors.required(`${at}.name`);
  if (!kind) errors.required(`${at}.kind`);
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    errors.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup && !toleratesGroup) errors.invalidFor(`${at}.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
  if (namespace) errors.invalidFor(`${at}.namespace`, namespace, dnsLabel(namespace));
}

/** What a claim asks for. Upstream: ValidatePersistentVolumeClaimSpec. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  at: string,
  errors: FieldErrors,
  { toleratesDataSourceGroup = false }: { readonly toleratesDataSourceGroup?: boolean } = {},
): void {
  const { accessModes = [], selector, resources, storageClassName, dataSource, dataSourceRef } = spec;
  if (accessModes.length === 0) errors.required(`${at}.accessModes`, "at least 1 access mode is required");
  if (selector) validateLabelSelector(selector, `${at}.selector`, errors);
  validateAccessModes(accessModes, `${at}.accessModes`, errors);
  const amount = resources?.requests?.storage;
  const path = `${at}.resources[storage]`;
  if (amount === undefined) errors.required(path);
  else if (validatePositiveAmount(amount, path, errors)) validateAmount("storage", amount, path, errors);
  if (storageClassName) errors.invalidFor(`${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
  if (spec.volumeMode !== undefined) volumeMode(spec.volumeMode, `${at}.volumeMode`, errors);
  if (dataSource) validateDataSource(dataSource, `${at}.dataSource`, errors, toleratesDataSourceGroup);
  if (dataSourceRef) validateDataSource(dataSourceRef, `${at}.dataSourceRef`, errors, toleratesDataSourceGroup);
  if (dataSource && dataSourceRef) {
    const isSame = (["apiGroup", "kind", "name"] as const).every((field) => dataSource[field] === dataSourceRef[field]);
    // What upstream shows here is a path, which has nothing to show.
    const why = dataSourceRef.namespace
      ? "may not be specified when dataSourceRef.namespace is specified"
      : isSame
      ? ""
      : "must match dataSourceRef";
    if (why) errors.invalid(at, {}, why);
  }
  const { volumeAttributesClassName: className } = spec;
  if (className) errors.invalidFor(`${at}.volumeAttributesClassName`, className, dnsSubdomain(className));
}

/** Bytes do not come in parts. Upstream: GetWarningsForPersistentVolumeClaimSpec. */
export function fractionWarnings({ resources }: PersistentVolumeClaimSpec, at: string): string[] {
  return (["requests", "limits"] as const).flatMap((list) => {
    const amount = resources?.[list]?.storage;
    if (amount === undefined || !/[num.]/.test(String(amount))) return [];
    const quantity = Quantity.parse(amount);
    if (quantity.milliRoundedUp() % 1000n === 0n) return [];
    const why = `fractional byte value ${quote(quantity.toString())} is invalid, must be an integer`;
    return [`${at}.resources.${list}[storage]: ${why}`];
  });
}
