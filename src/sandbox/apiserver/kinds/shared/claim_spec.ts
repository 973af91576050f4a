import { type PersistentVolumeClaimSpec, Quantity, type QuantityValue } from "../../../../api/mod.ts";
import {
  dnsSubdomain,
  type FieldErrors,
  fields,
  oneOf,
  quote,
  validateAmount,
  validatePositiveAmount,
  valuesOf,
} from "../../validation/mod.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const accessMode = oneOf<string>(...ACCESS_MODES);
const volumeMode = valuesOf("core.v1.PersistentVolumeSpec", "volumeMode");

/** Access modes; ReadWriteOncePod excludes all others. */
export function validateAccessModes(modes: readonly string[], at: string, errors: FieldErrors): void {
  for (const mode of modes) accessMode(mode, at, errors);
  if (!modes.includes("ReadWriteOncePod")) return;
  if (modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode))) {
    errors.forbidden(at, "may not use ReadWriteOncePod with other access modes");
  }
}

type DataSource = NonNullable<PersistentVolumeClaimSpec["dataSourceRef"]>;

const named = fields<DataSource>({ name: "!", kind: "!", namespace: "label" });

function validateDataSource(source: DataSource, at: string, errors: FieldErrors, toleratesGroup: boolean): void {
  const { apiGroup = "", kind = "" } = source;
  named(source, at, errors);
  if (!apiGroup && kind !== "PersistentVolumeClaim") errors.invalid(at, kind, "needs an apiGroup");
  if (apiGroup && !toleratesGroup) errors.invalidFor(`${at}.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
}

const simple = fields<PersistentVolumeClaimSpec>({
  selector: "selector",
  storageClassName: "subdomain",
  volumeMode,
  volumeAttributesClassName: "subdomain",
});

/** Upstream: ValidatePersistentVolumeClaimSpec. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  at: string,
  errors: FieldErrors,
  { toleratesDataSourceGroup = false }: { readonly toleratesDataSourceGroup?: boolean } = {},
): void {
  const { accessModes = [], resources, dataSource, dataSourceRef } = spec;
  simple(spec, at, errors);
  if (accessModes.length === 0) errors.required(`${at}.accessModes`, "at least 1 access mode is required");
  validateAccessModes(accessModes, `${at}.accessModes`, errors);
  const amount = resources?.requests?.storage;
  const path = `${at}.resources[storage]`;
  if (amount === undefined) errors.required(path);
  else if (validatePositiveAmount(amount, path, errors)) validateAmount("storage", amount, path, errors);
  if (dataSource) validateDataSource(dataSource, `${at}.dataSource`, errors, toleratesDataSourceGroup);
  if (dataSourceRef) validateDataSource(dataSourceRef, `${at}.dataSourceRef`, errors, toleratesDataSourceGroup);
  if (!dataSource || !dataSourceRef) return;
  const isSame = (["apiGroup", "kind", "name"] as const).every((field) => dataSource[field] === dataSourceRef[field]);
  if (!isSame || dataSourceRef.namespace) errors.invalid(at, {}, "dataSource must match dataSourceRef");
}

/** Warns about a fraction of a byte. */
export function fractionWarning(amount: QuantityValue | undefined, at: string): string[] {
  if (amount === undefined || !/[num.]/.test(String(amount))) return [];
  const quantity = Quantity.parse(amount);
  if (quantity.milliRoundedUp() % 1000n === 0n) return [];
  return [`${at}: fractional byte value ${quote(quantity.toString())} is invalid, must be an integer`];
}

/** Upstream: GetWarningsForPersistentVolumeClaimSpec. */
export function claimWarnings({ resources }: PersistentVolumeClaimSpec, at: string): string[] {
  return (["requests", "limits"] as const).flatMap((list) =>
    fractionWarning(resources?.[list]?.storage, `${at}.resources.${list}[storage]`)
  );
}
