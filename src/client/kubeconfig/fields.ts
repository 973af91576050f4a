import { decodeBase64 } from "@std/encoding/base64";
import { ConfigError } from "./config_error.ts";

/** Reads the fields of a mapping in a configuration file. A field of the wrong type is an error that names it. */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  /** File and path of the mapping, for messages: `/etc/config: users[0].user`. */
  readonly where: string;

  constructor(value: unknown, where: string) {
    if (value === undefined || value === null) value = {};
    if (!isMapping(value)) throw new ConfigError(`${where} must be a mapping, not ${typeName(value)}`);
    this.#value = value;
    this.where = where;
  }

  /** Empty if absent. */
  text(key: string): string {
    const value = this.#value[key] ?? "";
    if (typeof value !== "string") throw this.#wrong(key, "a string");
    return value;
  }

  flag(key: string): boolean {
    const value = this.#value[key] ?? false;
    if (typeof value !== "boolean") throw this.#wrong(key, "true or false");
    return value;
  }

  texts(key: string): string[] {
    const list = this.list(key);
    return list.map((value, i) => {
      if (typeof value !== "string") {
        throw new ConfigError(`${this.#at(key)}[${i}] must be a string, not ${typeName(value)}`);
      }
      return value;
    });
  }

  list(key: string): readonly unknown[] {
    const value = this.#value[key] ?? [];
    if (!Array.isArray(value)) throw this.#wrong(key, "a list");
    return value;
  }

  /** Text that is base64 in the file, decoded as UTF-8. */
  decoded(key: string): string {
    const text = this.text(key).replace(/[\r\n]/g, "");
    try {
      if (/[^A-Za-z0-9+/=]/.test(text) || text.length % 4 !== 0) throw new Error("illegal base64 data");
      return new TextDecoder().decode(decodeBase64(text));
    } catch (cause) {
      throw new ConfigError(`${this.#at(key)} is not valid base64`, { cause });
    }
  }

  inner(key: string): Fields {
    return new Fields(this.#value[key], this.#at(key));
  }

  has(key: string): boolean {
    return this.#value[key] !== undefined && this.#value[key] !== null;
  }

  keys(): string[] {
    return Object.keys(this.#value);
  }

  /** The elements of a list as mappings. */
  items(key: string): Fields[] {
    return this.list(key).map((value, i) => new Fields(value, `${this.#at(key)}[${i}]`));
  }

  /** The field, unchecked. */
  raw(key: string): unknown {
    return this.#value[key];
  }

  #at(key: string): string {
    return this.where.endsWith(":") ? `${this.where} ${key}` : `${this.where}.${key}`;
  }

  #wrong(key: string, wanted: string): ConfigError {
    return new ConfigError(`${this.#at(key)} must be ${wanted}, not ${typeName(this.#value[key])}`);
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
