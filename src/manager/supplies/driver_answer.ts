import { errorText } from "../../base/mod.ts";
import { DriverError } from "../../controllers/mod.ts";

/** What the program of a driver wrote. Upstream: `pkg/volume/flexvolume` (DriverStatus). */
export interface DriverStatus {
  readonly isSupported: boolean;
  readonly device: string;
  readonly isAttached: boolean;
  /** Whether it attaches volumes; true by default. */
  readonly attaches: boolean;
}

/** Messages end up in events and logs. */
const LONGEST_MESSAGE = 4096;

/** The fields that count, by name in small letters, and their types. */
const FIELDS = { status: "string", message: "string", device: "string", attached: "boolean", capabilities: "object" };

type Fields = { status?: string; message?: string; device?: string; attached?: boolean; capabilities?: object };

/**
 * Reads what the program of a driver wrote when it was called with `command`.
 *
 * @throws {DriverError} If that makes no sense, or is of a failure. Upstream: `flexvolume/driver-call.go`
 *   (handleCmdResponse).
 */
export function readDriverAnswer(command: string, output: string): DriverStatus {
  const { status = "", message = "", device = "", attached = false, capabilities } = fieldsOf(
    parse(output),
    FIELDS,
    "",
  );
  const { attach = true } = fieldsOf(capabilities ?? {}, { attach: "boolean" }, "Capabilities.") as {
    attach?: boolean;
  };
  const isSupported = status !== "Not supported";
  if (isSupported && status !== "Success") {
    throw new DriverError(short(`${command} command failed, status: ${status}, reason: ${message}`));
  }
  return { isSupported, device, isAttached: attached, attaches: attach };
}

function parse(output: string): unknown {
  const [first] = output.trimStart();
  if (first === undefined) throw new DriverError("unexpected end of JSON input");
  if (!/[[{"tfn0-9-]/.test(first)) {
    throw new DriverError(`invalid character '${first}' looking for beginning of value`);
  }
  try {
    return JSON.parse(output);
  } catch (error) {
    throw new DriverError(short(errorText(error)), { cause: error });
  }
}

/** Fields are matched without regard to case; `null` counts as absent. */
function fieldsOf(value: unknown, types: Readonly<Record<string, string>>, at: string): Fields {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw mistyped(value, "value of type flexvolume.DriverStatus");
  const found: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = key.toLowerCase();
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined || field === null) continue;
    if (typeof field !== type || Array.isArray(field)) {
      throw mistyped(field, `struct field DriverStatus.${at}${name} of type ${type === "boolean" ? "bool" : type}`);
    }
    found[name] = field;
  }
  return found;
}

function mistyped(value: unknown, where: string): DriverError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new DriverError(`json: cannot unmarshal ${type} into Go ${where}`);
}

function short(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}...` : message;
}
