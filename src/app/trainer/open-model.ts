/** Where the training worker finds the files of a model. */
import { openChosenFiles } from '../../checkpoint/chosen-files.ts';
import { openHttp } from '../../checkpoint/http-source.ts';
import { findRevision, openHub } from '../../checkpoint/hub-source.ts';
import { openOpfs } from '../../checkpoint/opfs-storage.ts';
import type { FileSource } from '../../checkpoint/source.ts';
import { openStoredModel } from '../../checkpoint/stored-models.ts';
import { embeddedVersion } from '../../experiment/model-version.ts';
import { modelChoice } from '../../experiment/model.ts';
import type { ModelAccess } from './protocol.ts';

/** The version of a model from files: whatever they hold, it is not there after a reload. */
export const FILES_VERSION = 'files';

export interface OpenedModel {
  source: FileSource;
  /** As an adapter names its base; null where it has no name. */
  baseName: string | null;
  /** Which version of it, for runs that are gone on with. */
  version: string;
  /** Whether it comes with the page. */
  embedded: boolean;
}

/** `model` is the experiment's; `embedded` the address of the page's own models. Throws PlaygroundErrors when it cannot be had. */
export async function openModel(model: string, access: ModelAccess, token: string | null, embedded: string): Promise<OpenedModel> {
  if (access.kind === 'files') return { source: openChosenFiles(access.files), baseName: null, version: FILES_VERSION, embedded: false };
  const choice = modelChoice(model);
  if (choice.kind === 'embedded') {
    const source = openHttp(new URL(`${choice.name}/`, embedded).href);
    return { source, baseName: choice.name, version: await embeddedVersion(choice.name, source), embedded: true };
  }
  const { id } = choice;
  const of = ({ source, commit }: { source: FileSource; commit: string }): OpenedModel => ({
    source,
    baseName: id.repository,
    version: `${id.repository}@${commit}`,
    embedded: false,
  });
  if (access.kind === 'named') return of(await openStoredModel(id, {}, await openOpfs()));
  const options = { token: token ?? undefined };
  const manifest = await findRevision(id, options);
  return of({ source: openHub(manifest, options), commit: manifest.commit });
}
