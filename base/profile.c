/* Time by stage: the names of the stages. */
#include "base/profile.h"

const char *stage_label(enum stage s) {
    static const char *const labels[STAGES] = {
#define X(e, name) name,
        STAGE_LIST(X)
#undef X
    };
    return labels[s];
}
