// Pages and dialogs that are loaded when they are first shown. A failure is left to the page, without a reload of the
// window, which would lose everything typed and, during an outage, the console itself.

import { type ComponentType, type ReactNode, use } from 'react';

type PropsOf<Component> = Component extends (props: infer Props) => ReactNode ? Props : never;

/** The router loads a page before it shows it. */
export interface LazyPage<Props> {
  (props: Props): ReactNode;
  preload(): Promise<void>;
}

const preloads: (() => Promise<void>)[] = [];

export function lazyPage<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyPage<PropsOf<Module[Name]>> {
  type Props = PropsOf<Module[Name]>;
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  let hasFailed = false;
  const loadOnce = (): Promise<ComponentType<Props>> => {
    loading ??= load().then(
      (module) => {
        loaded = module[name] as ComponentType<Props>;
        return loaded;
      },
      (error: unknown) => {
        hasFailed = true;
        throw error;
      },
    );
    return loading;
  };
  function Lazy(props: Props) {
    // The router counts a page that waits, even for a promise that is fulfilled, as not rendered.
    const Page = loaded ?? use(loadOnce());
    return <Page {...(props as Props & object)} />;
  }
  /** Tries again after a failure, which the page shows. */
  Lazy.preload = async (): Promise<void> => {
    if (hasFailed) loading = undefined;
    hasFailed = false;
    await loadOnce().catch(() => undefined);
  };
  preloads.push(Lazy.preload);
  return Lazy;
}

/** Loads all pages, one after the other. */
export async function preloadPages(): Promise<void> {
  for (const preload of preloads) await preload();
}
