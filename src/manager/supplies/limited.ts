import { type ControllerNeeds, type Supplies, UndeclaredNeedError } from "../../controllers/mod.ts";

/** The part of `supplies` that `needs` name. */
export function limited(
  { files, signer, folders, drivers, cloud }: Supplies,
  needs: Required<ControllerNeeds>,
): Supplies {
  const declared = <T>(names: readonly string[], what: string, flag: string, give: () => T): T => {
    if (!names.includes(flag)) throw new UndeclaredNeedError(`the ${what} of --${flag}`);
    return give();
  };
  const ofFolders = <T>(give: () => Promise<T>): Promise<T> => {
    return needs.folders ? give() : Promise.reject(new UndeclaredNeedError("folders"));
  };
  const ofDrivers = <T>(give: () => Promise<T>): Promise<T> => {
    return needs.drivers !== "" ? give() : Promise.reject(new UndeclaredNeedError("volume drivers"));
  };
  return {
    cloud: needs.cloud ? cloud : undefined,
    folders: { make: () => ofFolders(() => folders.make()), remove: (path) => ofFolders(() => folders.remove(path)) },
    drivers: {
      find: () => ofDrivers(() => drivers.find()),
      call: (call, signal) => ofDrivers(() => drivers.call(call, signal)),
    },
    files: {
      text: (flag) => declared(needs.files, "file", flag, () => files.text(flag)),
      onChange: (flag, listener) => declared(needs.files, "file", flag, () => files.onChange(flag, listener)),
    },
    signer: {
      publicKey: async (flag) => await declared(needs.keys, "key", flag, () => signer.publicKey(flag)),
      sign: async (flag, algorithm, data) =>
        await declared(needs.keys, "key", flag, () => signer.sign(flag, algorithm, data)),
    },
  };
}
