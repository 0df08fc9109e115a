// A model of the sidebar for the journeys.
import type { Locator, Page } from '@playwright/test'

/** The sidebar: queries with their bounds, tables with their limits, files. */
export class Application {
  private readonly sidebar: Locator

  constructor(private readonly page: Page) {
    this.sidebar = page.getByRole('complementary', { name: 'Application' })
  }

  /** The entry of a file, by the last part of its path. */
  file(name: string): Locator {
    return this.list('Files').getByRole('button', { name: startingWith(name) })
  }

  /** The entry of a query, whose text goes on with its bound. */
  query(name: string): Locator {
    return this.list('Queries').getByRole('button', { name: startingWith(name) })
  }

  /** The query that is marked as the current one. */
  get currentQuery(): Locator {
    return this.list('Queries').locator('[aria-current=true]')
  }

  get queries(): Locator {
    return this.list('Queries').getByRole('listitem')
  }

  /** The groups in which the queries stand, each with its title and its queries. */
  get groups(): Locator {
    return this.list('Queries').locator('> li')
  }

  group(title: string): Locator {
    return this.list(title)
  }

  async groupBy(name: string): Promise<void> {
    await this.sidebar.getByLabel('Groups of queries').selectOption({ label: name })
  }

  get tables(): Locator {
    return this.list('Tables').getByRole('listitem')
  }

  table(name: string): Locator {
    return this.list('Tables').getByRole('button', { name: startingWith(name) })
  }

  async create(path: string): Promise<void> {
    await this.sidebar.getByRole('button', { name: 'New file' }).click()
    const dialog = this.page.getByRole('dialog', { name: 'New file' })
    await dialog.getByLabel('Path').fill(path)
    await dialog.getByRole('button', { name: 'Create file' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }

  async rename(path: string, newPath: string): Promise<void> {
    await this.sidebar.getByRole('button', { name: `Rename ${path}` }).click()
    const dialog = this.page.getByRole('dialog', { name: `Rename ${path}` })
    await dialog.getByLabel('New path').fill(newPath)
    await dialog.getByRole('button', { name: 'Rename file' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }

  async remove(path: string): Promise<void> {
    await this.sidebar.getByRole('button', { name: `Delete ${path}` }).click()
    await this.page
      .getByRole('dialog', { name: `Delete ${path}?` })
      .getByRole('button', { name: 'Delete file' })
      .click()
  }

  private list(name: string): Locator {
    return this.sidebar.getByRole('list', { name, exact: true })
  }
}

/** An entry begins with its name; its bound or its limits follow, but no further part of a name. */
function startingWith(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.')}(?![\\w.])`)
}
