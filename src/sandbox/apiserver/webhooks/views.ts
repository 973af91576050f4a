import { deepCopy } from "../../../base/mod.ts";
import { ApiError, internalError, translate } from "../base/mod.ts";
import { inServedVersion } from "../resources/mod.ts";
import { decodeObject, type Operation, type View } from "../operations/mod.ts";
import { normalise } from "../schema/mod.ts";

/** The whole object in the version for a webhook. */
export function wholeObject(operation: Operation): View {
  const { served: own } = operation;
  return {
    kindIn: ({ group, version, kind }) => ({ group, version, kind }),
    show(served, object) {
      const seen = served.custom && served !== own ? served.custom.version.view(deepCopy(object)) : object;
      const shown = inServedVersion(served, seen);
      if (!served.conversion || !served.struct) return shown;
      const { apiVersion, kind } = shown;
      return { ...normalise(shown, served.struct), apiVersion, kind };
    },
    take(served, object, patched) {
      const made = translate(() => decodeObject({ ...operation, served }, patched), ApiError, internalError);
      const seen = own.custom && served !== own ? own.custom.version.view(made) : made;
      for (const field of Object.keys(object)) delete object[field];
      Object.assign(object, deepCopy(seen));
    },
  };
}
