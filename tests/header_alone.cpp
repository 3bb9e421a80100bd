// The same file as C++: the declarations need C linkage there, and no construct that only C has.
#include "header_alone.c"
