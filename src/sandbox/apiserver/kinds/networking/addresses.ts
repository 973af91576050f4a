import type { IPAddress, ServiceCIDR } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  familyOf,
  FieldErrors,
  fields,
  type Format,
  IMMUTABLE,
  validateCanonicalAddress,
  validateCanonicalRange,
} from "../../validation/mod.ts";

/** An object name that is an IP address must be in canonical form. */
const addressName: Format = (name) => {
  const errors = new FieldErrors();
  validateCanonicalAddress(name, "", errors);
  const shown = `Invalid value: ${JSON.stringify(name)}: `;
  return errors.causes.map(({ message = "" }) => message.slice(shown.length));
};

type Parent = NonNullable<NonNullable<IPAddress["spec"]>["parentRef"]>;

const parent = fields<Parent>({ group: "subdomain", resource: "!path", name: "!path", namespace: "path" });

export const ipAddresses: Traits<IPAddress> = {
  names: addressName,
  immutable: ["spec.parentRef"],
  validate({ spec }, errors) {
    if (!spec?.parentRef) errors.required("spec.parentRef");
    else parent(spec.parentRef, "spec.parentRef", errors);
  },
};

const RANGES = "spec.cidrs";

function validateRanges(spec: ServiceCIDR["spec"], errors: FieldErrors): void {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) return errors.required(RANGES, "at least one CIDR required");
  if (cidrs.length > 2) return errors.invalid(RANGES, cidrs, "may only hold up to 2 values");
  for (const [i, cidr] of cidrs.entries()) validateCanonicalRange(cidr, `${RANGES}[${i}]`, errors);
  const [first, second] = cidrs.map((cidr) => familyOf(cidr.split("/")[0]));
  if (cidrs.length === 2 && first === second && first) errors.invalid(RANGES, cidrs, "must be one of each family");
}

export const serviceCidrs: Traits<ServiceCIDR> = {
  keepsMetadataOnStatus: true,
  validateCreate: ({ spec }, errors) => validateRanges(spec, errors),
  validateUpdate({ spec }, old, errors) {
    const [now, before] = [spec?.cidrs ?? [], old.spec?.cidrs ?? []];
    const grows = before.length === 1 && now.length === 2;
    if (now.length !== before.length && !grows) return errors.invalid(RANGES, spec?.cidrs ?? null, IMMUTABLE);
    for (const [i, cidr] of before.entries()) if (cidr !== now[i]) errors.invalid(`${RANGES}[${i}]`, now[i], IMMUTABLE);
    if (grows) validateRanges(spec, errors);
  },
};
