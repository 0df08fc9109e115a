// Schemas of other databases as others wrote them (SQLite, MySQL, CQL): each becomes an application that goes live. They
// are no part of this repository; without them this file has no test.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

const FOLDER = fileURLToPath(new URL('../../../shared/apps/raw/', import.meta.url))

for (const [index, file] of (existsSync(FOLDER) ? readdirSync(FOLDER) : []).entries()) {
  const tag = index === 0 ? [] : '@long'
  test(`the schema ${file} is imported, compiles without an error and goes live`, { tag }, async ({
    workbench,
    page,
  }) => {
    const { application, deploy, editor } = workbench
    const schema = readFileSync(FOLDER + file, 'utf8')
    const id = `from-${file.replaceAll('.', '-')}`
    await page.goto('/')
    await page.getByRole('button', { name: 'New application' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(id)
    await dialog.getByLabel('Start from').selectOption({ label: 'A schema in SQL or CQL' })
    await dialog.getByLabel('Schema').fill(schema)
    await dialog.getByRole('button', { name: 'Preview' }).click()
    const notes = dialog.getByRole('table', { name: 'Changed and left out' })
    await expect(notes.locator('tbody').getByRole('row').first()).toBeVisible()
    const leftOut = await notes.getByRole('cell', { name: /^CREATE TABLE/i }).count() // each with its reason
    await look(page, `import-of-${file}`)
    await expectNoObjections(page, `the preview of ${file}`, 'dialog[open]')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect(page).toHaveURL(new RegExp(`/applications/${id}/development`))

    const declared = schema.matchAll(/^\s*CREATE TABLE (?:IF NOT EXISTS )?["`]?(\w+)/gim)
    const tables = [...new Set([...declared].map(([, name = '']) => name))]
    await expect(application.tables).toHaveCount(tables.length - leftOut)
    await expect(workbench.status).not.toContainText('error')
    const [first] = tables
    await application.create('queries/some.piql')
    await editor.area.focus()
    await editor.paste(`CREATE QUERY some AS SELECT * FROM ${first} LIMIT 3;`)
    await expect(application.query('some')).toContainText('≤ 1 op')
    await deploy.open()
    await look(page, `deployment-of-${file}`)
    await deploy.button.click()
    await expect(deploy.versions.first()).toContainText('1 live')
    expect((await page.request.delete(`/api/applications/${id}?name=${id}`)).ok()).toBe(true)
  })
}
