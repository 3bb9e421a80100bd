/* A program of a stranger: the header and the library, found by whatever build tool. */
#include <d1guard.h>
#include <stdio.h>

int main(void)
{
    static const char good[] = "SELECT 1", bad[] = "DROP TABLE t";
    struct d1guard_report report = {sizeof report};
    const int allowed = d1guard_classify(good, sizeof good - 1, NULL, NULL);
    const int refused = !d1guard_classify(bad, sizeof bad - 1, NULL, &report);

    printf("%s %s\n", d1guard_version(), d1guard_reason_slug(report.reason));
    return allowed && refused ? 0 : 1;
}
